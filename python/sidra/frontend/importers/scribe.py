"""What importers write with: ops of the graph dialect, with PyTorch's rules for operands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from sidra.errors import InferenceError
from sidra.frontend.dtypes import FROM_TORCH, TO_TORCH
from sidra.ir.attributes import Attribute, Dense
from sidra.ir.builder import Builder
from sidra.ir.core import Value
from sidra.ir.dialects.graph.inference import broadcast_shapes
from sidra.ir.dims import Dim, Dimension
from sidra.ir.types import DType, TensorType, bf16, f16, f32, i1, i64

Shape = tuple[Dimension, ...]


class Scribe:
    """Writes at a builder. `dtypes`: of the results that PyTorch says the call has."""

    def __init__(self, builder: Builder, dtypes: Sequence[DType | None] = ()) -> None:
        self.builder = builder
        self.dtypes = tuple(dtypes)

    def op(self, name: str, *operands: Value, **attributes: Attribute) -> Value:
        """Return the result of `graph.<name>`."""
        return self.builder.create(f"graph.{name}", operands, attributes)

    def ops(self, name: str, *operands: Value, **attributes: Attribute) -> tuple[Value, ...]:
        """Return the results of `graph.<name>`."""
        return self.builder.build(f"graph.{name}", operands, attributes).results

    @property
    def result_dtype(self) -> DType:
        """Return the dtype of the first result."""
        if not self.dtypes or self.dtypes[0] is None:
            raise InferenceError("the result is no tensor of a known dtype")
        return self.dtypes[0]

    def constant(self, number: complex, dtype: DType) -> Value:
        """Return a scalar tensor. Raises InferenceError for a number that is not real."""
        if isinstance(number, complex):
            raise InferenceError("complex scalars have no constant")
        array = np.asarray(dtype.cast(np.asarray(number))).reshape(())
        return self.op("constant", value=Dense(TensorType((), dtype), array))

    def convert(self, value: Value, dtype: DType) -> Value:
        """Return the value in a dtype."""
        return value if value.type.dtype is dtype else self.op("convert", value, dtype=dtype)

    def operand(self, given: Any, dtype: DType) -> Value:
        """Return a tensor or number as an operand of a dtype."""
        if isinstance(given, Value):
            return self.convert(given, dtype)
        if isinstance(given, Dim):
            return self.convert(self.op("dimension", value=given), dtype)
        return self.constant(given, dtype)

    def promoted(self, *given: Any) -> list[Value]:
        """Return the operands in the dtype to which PyTorch promotes them together."""
        dtype = FROM_TORCH[_promotion(given)]
        return [self.operand(each, dtype) for each in given]

    def arithmetic(self, name: str, *given: Any) -> Value:
        """Return `graph.<name>` of operands that are promoted together.

        A number beside tensors of half precision keeps its precision, as PyTorch multiplies and
        divides: in float32, with one rounding at the end.
        """
        operands = self.promoted(*given)
        dtype = operands[0].type.dtype
        if dtype not in (f16, bf16) or all(isinstance(each, Value) for each in given):
            return self.op(name, *operands)
        wide = self.op(name, *(self.operand(each, f32) for each in given))
        return self.convert(wide, dtype) if wide.type.dtype is f32 else wide

    def floating(self, value: Value) -> Value:
        """Return the value as PyTorch's functions of real numbers take it: integers as f32."""
        dtype = value.type.dtype
        return value if dtype.is_float or dtype.is_complex else self.convert(value, f32)

    def reshape(self, value: Value, shape: Sequence[Dimension]) -> Value:
        """Return the elements in another shape, which may hold one -1."""
        target = tuple(shape)
        if target == value.type.shape:
            return value
        if -1 in target:
            known = math.prod((d for d in target if d != -1), start=1)
            rest = value.type.elements // known if known != 0 else 0
            target = tuple(rest if d == -1 else d for d in target)
        return self.op("reshape", value, shape=target)

    def permute(self, value: Value, order: Sequence[int]) -> Value:
        """Return the value with its dims in another order."""
        dims = tuple(d % value.type.rank for d in order)
        if dims == tuple(range(len(dims))):
            return value
        return self.op("permute", value, dims=dims)

    def broadcast(self, value: Value, shape: Shape) -> Value:
        """Return the value repeated to a shape."""
        return value if value.type.shape == shape else self.op("broadcast", value, shape=shape)

    def together(self, *values: Value) -> list[Value]:
        """Return the values, each repeated to the shape to which all broadcast."""
        shape = broadcast_shapes([value.type.shape for value in values])
        return [self.broadcast(value, shape) for value in values]

    def full(self, shape: Shape, number: float, dtype: DType) -> Value:
        """Return a tensor of one number."""
        if dtype is i1:
            number = bool(number)
        elif dtype.is_float:
            number = float(number)
        return self.op("full", shape=shape, value=number, dtype=dtype)

    def range(self, size: Dimension, start: float, step: float, dtype: DType = i64) -> Value:
        """Return start + step * i."""
        return self.op("iota", size=size, start=start, step=step, dtype=dtype)


def dtype_of(given: torch.dtype | None, otherwise: DType) -> DType:
    """Return an operator's `dtype` argument in the IR."""
    return otherwise if given is None else FROM_TORCH[given]


def _promotion(given: Sequence[Any]) -> torch.dtype:
    """Return what torch.result_type gives: by dims, then 0-dim tensors, then numbers."""
    samples = [_sample(each) for each in given]
    result = samples[0]
    if len(samples) == 1:
        return result.dtype if isinstance(result, torch.Tensor) else torch.result_type(result, 0)
    kinds: list[Any] = list(samples)
    dtype = torch.result_type(kinds[0], kinds[1])
    for each in kinds[2:]:
        dtype = torch.promote_types(dtype, torch.result_type(kinds[0], each))
    return dtype


def _sample(given: Any) -> Any:
    if not isinstance(given, Value):
        return 1 if isinstance(given, Dim) else given
    shape = (1,) * given.type.rank
    return torch.empty(shape, dtype=TO_TORCH[given.type.dtype], device="meta")
