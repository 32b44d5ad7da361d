"""`check`: one graph op against PyTorch's operator, through text, verifier and interpreter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch

from sidra.errors import InferenceError
from sidra.ir import dims
from sidra.ir.builder import function_builder
from sidra.ir.core import Function, Module
from sidra.ir.interpreter import interpret
from sidra.ir.parser import parse_module
from sidra.ir.printer import module_text
from sidra.ir.types import DTYPES, TensorType, bf16, type_of
from sidra.ir.verifier import verify

TORCH_DTYPES = {
    name: getattr(torch, spelled)
    for name, spelled in {
        "f64": "float64",
        "f32": "float32",
        "f16": "float16",
        "bf16": "bfloat16",
        "i64": "int64",
        "i32": "int32",
        "i16": "int16",
        "i8": "int8",
        "u8": "uint8",
        "i1": "bool",
        "c64": "complex64",
        "c128": "complex128",
    }.items()
}
assert TORCH_DTYPES.keys() == DTYPES.keys()


def array_of(tensor: torch.Tensor) -> Any:
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).contiguous().numpy()


def tensor_type(tensor: torch.Tensor) -> TensorType:
    type = type_of(array_of(tensor))
    return type.with_dtype(bf16) if tensor.dtype == torch.bfloat16 else type


def symbolic(type: TensorType) -> TensorType:
    """The type with a symbol for each size above 1, one for each size."""
    return type.with_shape(tuple(dims.symbol(f"s{n}") if n > 1 else n for n in type.shape))


def one_op(name: str, types: Sequence[TensorType], attributes: dict[str, Any]) -> Function:
    function, builder = function_builder("main", types)
    made = builder.build(f"graph.{name}", function.arguments, attributes)
    builder.finish(made.results)
    return function


def through_text(function: Function) -> tuple[Function, Module]:
    module = Module()
    module.add(function)
    verify(module)
    text = module_text(module)
    read = parse_module(text)
    verify(read)
    assert module_text(read) == text
    return read.functions["main"], read


@pytest.fixture
def check() -> Callable[..., None]:
    def check(
        name: str,
        expected: Callable[..., Any],
        *operands: torch.Tensor,
        rtol: float = 2e-6,
        atol: float = 1e-6,
        **attributes: Any,
    ) -> None:
        wanted = expected(*operands)
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        types = [tensor_type(operand) for operand in operands]
        arrays = [array_of(operand) for operand in operands]
        function, module = through_text(one_op(name, types, attributes))
        for result, array, tensor in zip(
            function.results, interpret(function, arrays, module), wanted, strict=True
        ):
            assert result.type == tensor_type(tensor)
            np.testing.assert_allclose(
                array.astype(array.dtype), array_of(tensor), rtol=rtol, atol=atol
            )
        try:
            general = one_op(name, [symbolic(t) for t in types], attributes)
        except InferenceError:
            return  # the attributes name sizes, which no symbol is known to have
        function, module = through_text(general)
        for array, tensor in zip(interpret(function, arrays, module), wanted, strict=True):
            assert array.shape == tensor.shape

    return check
