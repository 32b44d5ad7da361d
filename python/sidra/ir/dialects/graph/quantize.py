"""Affine quantisation: real = (code - zero point) * scale, for a tensor or along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidra.ir.dialects.graph.inference import normal_dim, only, require, require_shape
from sidra.ir.dims import Dimension
from sidra.ir.registry import Attributes, Types, attribute, op
from sidra.ir.types import TensorType, f32, i8

AXIS = attribute("int?", None)


def _parameters(types: Types, attributes: Attributes) -> None:
    x, scale, zero = types
    axis = attributes["axis"]
    shape: tuple[Dimension, ...] = ()
    if axis is not None:
        shape = (x.shape[normal_dim(axis, x.rank)],)
    require(scale.dtype.is_float, f"the scale is {scale}, but must be of floats")
    require(zero.dtype.is_integer, f"the zero point is {zero}, but must be of integers")
    require_shape(scale, shape, "the scale")
    require_shape(zero, shape, "the zero point")


def _quantize(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    _parameters(types, attributes)
    dtype, low, high = (attributes[name] for name in ("dtype", "low", "high"))
    require(dtype.is_integer, f"dtype is {dtype}, but must be an integer type")
    bounds = np.iinfo(dtype.numpy)
    fits = bounds.min <= low <= high <= bounds.max
    require(fits, f"{low} to {high} is not within {dtype}'s {bounds.min} to {bounds.max}")
    return (types[0].with_dtype(dtype),)


def _aligned(parameter: Any, axis: int | None, rank: int) -> Any:
    if axis is None:
        return parameter
    return parameter.reshape([-1 if i == axis % rank else 1 for i in range(rank)])


@op(
    "graph.quantize",
    3,
    only("float", _quantize),
    {
        "axis": AXIS,
        "dtype": attribute("dtype", i8),
        "low": attribute("int", -128),
        "high": attribute("int", 127),
    },
)
def quantize(attributes: Attributes, x: Any, scale: Any, zero: Any) -> Any:
    """clip(round(x / scale) + zero, low, high), ties to even; operands x, scale, zero point."""
    axis = attributes["axis"]
    scale, zero = _aligned(scale, axis, x.ndim), _aligned(zero, axis, x.ndim)
    return np.clip(np.rint(x / scale) + zero, attributes["low"], attributes["high"])


def _dequantize(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    _parameters(types, attributes)
    dtype = attributes["dtype"]
    require(dtype.is_float, f"dtype is {dtype}, but must be a float type")
    return (types[0].with_dtype(dtype),)


@op(
    "graph.dequantize",
    3,
    only("signed unsigned", _dequantize),
    {"axis": AXIS, "dtype": attribute("dtype", f32)},
)
def dequantize(attributes: Attributes, code: Any, scale: Any, zero: Any) -> Any:
    """(code - zero) * scale; operands code, scale, zero point."""
    axis = attributes["axis"]
    scale, zero = _aligned(scale, axis, code.ndim), _aligned(zero, axis, code.ndim)
    return (code.astype(np.float64) - zero) * scale
