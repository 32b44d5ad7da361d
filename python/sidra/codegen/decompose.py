"""Normalisations, softmax, means and variances as plain sums, largest elements and arithmetic.

Half precision is computed in float32 and rounded once, at the end of each op.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sidra.codegen.source import attribute
from sidra.ir.attributes import Dense
from sidra.ir.builder import Builder
from sidra.ir.core import Block, Operation, Value
from sidra.ir.dims import Dim, Dimension, product
from sidra.ir.types import DType, TensorType, bf16, f16, f32, f64, i1


def decompose(region: Block) -> Block:
    """Return a copy of a kernel's region without composite ops."""
    mapping: dict[Value, Value] = {}
    copy = Block([a.type for a in region.arguments])
    mapping.update(zip(region.arguments, copy.arguments, strict=True))
    writer = _Writer(Builder(copy))
    for operation in region.operations:
        rule = _RULES.get(operation.name)
        if rule is None:
            copy.append(operation.clone(mapping))
            continue
        operands = [mapping[value] for value in operation.operands]
        mapping[operation.result] = writer.rounded(rule, operation, operands)
    return copy


class _Writer:
    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def op(self, name: str, *operands: Value, **attributes: Any) -> Value:
        return self.builder.create(f"graph.{name}", operands, attributes)

    def rounded(self, rule: Any, operation: Operation, operands: list[Value]) -> Value:
        """Apply a rule in float32 where the dtype is a half."""
        dtype = operation.result.type.dtype
        if dtype not in (f16, bf16):
            return self.shaped(rule(self, operation, *operands), operation)
        wide = [self.op("convert", value, dtype=f32) for value in operands]
        return self.op("convert", self.shaped(rule(self, operation, *wide), operation), dtype=dtype)

    def shaped(self, value: Value, operation: Operation) -> Value:
        shape = operation.result.type.shape
        return value if value.type.shape == shape else self.op("reshape", value, shape=shape)

    def number(self, number: float, dtype: DType) -> Value:
        array = np.asarray(dtype.cast(np.asarray(number))).reshape(())
        return self.op("constant", value=Dense(TensorType((), dtype), array))

    def count(self, sizes: tuple[Dimension, ...], dtype: DType) -> Value:
        """Return how many elements the dims have, as a float."""
        total = product(sizes)
        if isinstance(total, Dim):
            return self.op("convert", self.op("dimension", value=total), dtype=dtype)
        return self.number(float(total), dtype)

    def mean(self, x: Value, dims: tuple[int, ...]) -> Value:
        """Return the mean over dims, which stay as 1."""
        total = self.op("sum", x, dims=dims, keepdim=True)
        return self.op("div", total, self.count(tuple(x.type.shape[d] for d in dims), x.type.dtype))


def _axes(operation: Operation) -> tuple[int, ...]:
    dims = attribute(operation, "dims")
    rank = operation.operands[0].type.rank
    if dims is None:
        return tuple(range(rank))
    return tuple(sorted(d % rank for d in dims))


def _mean(w: _Writer, operation: Operation, x: Value) -> Value:
    return w.mean(x, _axes(operation))


def _sum(w: _Writer, operation: Operation, x: Value) -> Value:
    return w.op("sum", x, dims=_axes(operation), keepdim=True)


def _var(w: _Writer, operation: Operation, x: Value) -> Value:
    dims = _axes(operation)
    apart = w.op("sub", x, w.mean(x, dims))
    total = w.op("sum", w.op("mul", apart, apart), dims=dims, keepdim=True)
    dtype = x.type.dtype
    correction = float(attribute(operation, "correction"))
    count = w.count(tuple(x.type.shape[d] for d in dims), dtype)
    divisor = w.op("sub", count, w.number(correction, dtype))
    return w.op("div", total, w.op("maximum", divisor, w.number(0.0, dtype)))


def _truth(name: str) -> Any:
    def rule(w: _Writer, operation: Operation, x: Value) -> Value:
        truth = x if x.type.dtype is i1 else w.op("convert", x, dtype=i1)
        return w.op(name, truth, dims=_axes(operation), keepdim=True)

    return rule


def _softmax(w: _Writer, operation: Operation, x: Value) -> Value:
    dim = attribute(operation, "dim")
    largest = w.op("max", x, dims=(dim,), keepdim=True)
    power = w.op("exp", w.op("sub", x, largest))
    total = w.op("sum", power, dims=(dim,), keepdim=True)
    return w.op("mul", power, w.op("reciprocal", total))


def _log_softmax(w: _Writer, operation: Operation, x: Value) -> Value:
    dim = attribute(operation, "dim")
    shifted = w.op("sub", x, w.op("max", x, dims=(dim,), keepdim=True))
    total = w.op("sum", w.op("exp", shifted), dims=(dim,), keepdim=True)
    return w.op("sub", shifted, w.op("log", total))


def _normal(w: _Writer, x: Value, dims: tuple[int, ...], eps: float) -> Value:
    apart = w.op("sub", x, w.mean(x, dims))
    variance = w.mean(w.op("mul", apart, apart), dims)
    scale = w.op("rsqrt", w.op("add", variance, w.number(eps, x.type.dtype)))
    return w.op("mul", apart, scale)


def _scaled(w: _Writer, y: Value, parameters: tuple[Value, ...]) -> Value:
    for name, value in zip(("mul", "add"), parameters, strict=False):
        y = w.op(name, y, value)
    return y


def _layer_norm(w: _Writer, operation: Operation, x: Value, *parameters: Value) -> Value:
    rank = x.type.rank
    dims = tuple(range(rank - attribute(operation, "rank"), rank))
    return _scaled(w, _normal(w, x, dims, attribute(operation, "eps")), parameters)


def _rms_norm(w: _Writer, operation: Operation, x: Value, *parameters: Value) -> Value:
    rank = x.type.rank
    dims = tuple(range(rank - attribute(operation, "rank"), rank))
    mean = w.mean(w.op("mul", x, x), dims)
    eps = w.number(attribute(operation, "eps"), x.type.dtype)
    y = w.op("mul", x, w.op("rsqrt", w.op("add", mean, eps)))
    return _scaled(w, y, parameters)


def _group_norm(w: _Writer, operation: Operation, x: Value, *parameters: Value) -> Value:
    groups = attribute(operation, "groups")
    batch, channels, *rest = x.type.shape
    cut = w.op("reshape", x, shape=(batch, groups, channels // groups, *rest))
    dims = tuple(range(2, cut.type.rank))
    y = _normal(w, cut, dims, attribute(operation, "eps"))
    whole = w.op("reshape", y, shape=x.type.shape)
    return _scaled(w, whole, tuple(_along(w, value, 1, x.type.rank) for value in parameters))


def _along(w: _Writer, value: Value, axis: int, rank: int) -> Value:
    """Return a vector that lies along one axis."""
    shape = tuple(value.type.shape[0] if i == axis else 1 for i in range(rank))
    return w.op("reshape", value, shape=shape)


def _batch_norm(w: _Writer, operation: Operation, x: Value, *operands: Value) -> Value:
    mean, variance, *parameters = (_along(w, value, 1, x.type.rank) for value in operands)
    eps = w.number(attribute(operation, "eps"), x.type.dtype)
    scale = w.op("rsqrt", w.op("add", variance, eps))
    if parameters:
        scale = w.op("mul", scale, parameters[0])
    y = w.op("mul", w.op("sub", x, mean), scale)
    return w.op("add", y, parameters[1]) if len(parameters) > 1 else y


def _parameters(w: _Writer, operation: Operation, *values: Value) -> list[Value]:
    """Return scale and zero point in float64, along the axis that they are for."""
    axis, rank = attribute(operation, "axis"), operation.operands[0].type.rank
    wide = [w.op("convert", value, dtype=f64) for value in values]
    return wide if axis is None else [_along(w, value, axis % rank, rank) for value in wide]


def _quantize(w: _Writer, operation: Operation, x: Value, *parameters: Value) -> Value:
    scale, zero = _parameters(w, operation, *parameters)
    steps = w.op("round", w.op("div", w.op("convert", x, dtype=f64), scale))
    low, high = (float(attribute(operation, name)) for name in ("low", "high"))
    code = w.op("clamp", w.op("add", steps, zero), min=low, max=high)
    return w.op("convert", code, dtype=attribute(operation, "dtype"))


def _dequantize(w: _Writer, operation: Operation, code: Value, *parameters: Value) -> Value:
    scale, zero = _parameters(w, operation, *parameters)
    real = w.op("mul", w.op("sub", w.op("convert", code, dtype=f64), zero), scale)
    return w.op("convert", real, dtype=operation.result.type.dtype)


_RULES: dict[str, Any] = {
    "graph.mean": _mean,
    "graph.sum": _sum,
    "graph.var": _var,
    "graph.any": _truth("any"),
    "graph.all": _truth("all"),
    "graph.softmax": _softmax,
    "graph.log_softmax": _log_softmax,
    "graph.layer_norm": _layer_norm,
    "graph.rms_norm": _rms_norm,
    "graph.group_norm": _group_norm,
    "graph.batch_norm": _batch_norm,
    "graph.quantize": _quantize,
    "graph.dequantize": _dequantize,
}
