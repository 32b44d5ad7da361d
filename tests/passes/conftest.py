"""`lower`: run passes over text, and see that the function means what it meant."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sidra.ir import dims
from sidra.ir.core import Module, Operation
from sidra.ir.dims import Dim
from sidra.ir.interpreter import interpret
from sidra.ir.parser import parse_module
from sidra.ir.pass_manager import Context, Pass, PassManager
from sidra.ir.printer import module_text
from sidra.ir.types import DType, TensorType

sys.path.insert(0, str(Path(__file__).parent))  # for random_graphs

TORCH_DTYPES = {
    "f64": torch.float64,
    "f32": torch.float32,
    "f16": torch.float16,
    "i64": torch.int64,
    "i32": torch.int32,
    "i1": torch.bool,
}

Lower = Callable[..., Module]


def random_array(type: TensorType, symbols: dict[str, int], random: Any) -> Any:
    """Normal floats; integers 0 to 2; truths."""
    shape = [dims.evaluate(size, symbols) for size in type.shape]
    if type.dtype.is_float:
        return type.dtype.cast(random.standard_normal(shape))
    return random.integers(0, 2 if type.dtype.kind == "bool" else 3, shape).astype(type.dtype.numpy)


def call(operation: Operation, arrays: Sequence[Any], symbols: dict[str, int]) -> Any:
    """Run an external op with PyTorch, as its `arguments` say."""
    tensors = [torch.from_numpy(array) for array in arrays]
    space, _, name = str(operation.attributes["operator"]).partition("::")
    name, _, overload = name.partition(".")
    found = getattr(getattr(getattr(torch.ops, space), name), overload or "default")
    given = operation.attributes["arguments"]
    assert isinstance(given, tuple)
    values = [argument(value, tensors, symbols) for value in given]
    schema = found._schema.arguments
    assert len(values) == len(schema)
    positional = [v for v, a in zip(values, schema, strict=True) if not a.kwarg_only]
    named = {a.name: v for v, a in zip(values, schema, strict=True) if a.kwarg_only}
    done = found(*positional, **named)
    return [t.numpy() for t in (done if isinstance(done, tuple | list) else (done,))]


def argument(value: Any, tensors: Sequence[torch.Tensor], symbols: dict[str, int]) -> Any:
    """One entry of `arguments` for PyTorch."""
    if isinstance(value, tuple):
        return [argument(each, tensors, symbols) for each in value]
    if isinstance(value, DType):
        return TORCH_DTYPES[value.name]
    if isinstance(value, Dim):
        return dims.evaluate(value, symbols)
    if not isinstance(value, str):
        return value
    if value.startswith("'"):
        return value[1:]
    return None if value == "$none" else tensors[int(value[1:])]


@pytest.fixture
def lower() -> Lower:
    def lower(
        text: str,
        *passes: Pass,
        symbols: dict[str, int] | None = None,
        rtol: float = 2e-5,
        atol: float = 2e-5,
        facts: dict[str, Any] | None = None,
    ) -> Module:
        before, after = parse_module(text), parse_module(text)
        PassManager(passes).run(after, Context(facts=facts or {}))
        assert module_text(parse_module(module_text(after))) == module_text(after)
        for name, function in before.functions.items():
            random = np.random.default_rng(0)
            sizes = symbols or {}
            given = [random_array(value.type, sizes, random) for value in function.arguments]

            def external(op: Operation, arrays: Any, sizes: dict[str, int] = sizes) -> Any:
                return call(op, arrays, sizes)

            wanted = interpret(function, given, before, external)
            found = interpret(after.functions[name], given, after, external)
            for a, b in zip(found, wanted, strict=True):
                np.testing.assert_allclose(a, b, rtol=rtol, atol=atol)
        return after

    return lower


@pytest.fixture
def kernels() -> Callable[..., list[str]]:
    """Return the names of the steps of @main: of kernels their own, of others the op's."""

    def kernels(module: Module) -> list[str]:
        steps = [op for op in module.functions["main"].body.operations]
        return [
            str(op.attributes["name"]) if op.name == "tile.kernel" else op.name
            for op in steps
            if op.dialect == "tile" or op.name == "graph.external"
        ]

    return kernels
