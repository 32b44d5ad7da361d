"""Ops that move elements and change shapes: exact, in every dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidra.ir.dialects.graph.inference import (
    broadcast_shapes,
    normal_dim,
    normal_dims,
    one_dtype,
    require,
)
from sidra.ir.dims import Dimension, ceildiv, product
from sidra.ir.registry import EXACT, PURE, Attributes, Types, attribute, op
from sidra.ir.types import TensorType

FLAGS = (PURE, EXACT)


def _list(shape: tuple[Dimension, ...]) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _reshape(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    shape = attributes["shape"]
    before, after = types[0].elements, product(shape)
    static = isinstance(before, int) and isinstance(after, int)
    require(not static or before == after, f"{_list(shape)} has {after} elements, not {before}")
    return (types[0].with_shape(shape),)


@op("graph.reshape", 1, _reshape, {"shape": attribute("dims")}, FLAGS)
def reshape(attributes: Attributes, x: Any) -> Any:
    """Give the elements in row-major order another shape; no dimension is -1."""
    return x.reshape(attributes["shape"])


def _permute(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    dims = normal_dims(attributes["dims"], types[0].rank)
    require(len(dims) == types[0].rank, f"{len(dims)} dims do not permute rank {types[0].rank}")
    return (types[0].with_shape(tuple(types[0].shape[d] for d in dims)),)


@op("graph.permute", 1, _permute, {"dims": attribute("ints")}, FLAGS)
def permute(attributes: Attributes, x: Any) -> Any:
    """Let the result's dim i be x's dim dims[i]."""
    return np.transpose(x, attributes["dims"])


def _broadcast(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    shape = attributes["shape"]
    fits = broadcast_shapes([types[0].shape, shape]) == shape
    require(fits, f"{types[0]} does not broadcast to {_list(shape)}")
    return (types[0].with_shape(shape),)


@op("graph.broadcast", 1, _broadcast, {"shape": attribute("dims")}, FLAGS)
def broadcast(attributes: Attributes, x: Any) -> Any:
    """Repeat along new leading dims and dims of 1."""
    return np.broadcast_to(x, attributes["shape"])


def _slice(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    bounds = [attributes[name] for name in ("start", "stop", "step")]
    rank = types[0].rank
    require(all(len(b) == rank for b in bounds), f"start, stop and step need {rank} numbers each")
    shape = []
    for size, start, stop, step in zip(types[0].shape, *bounds, strict=True):
        require(step > 0, f"step {step} is not above 0")
        numbers = [n for n in (0, start, stop, size) if isinstance(n, int)]
        require(numbers == sorted(numbers), f"{start} to {stop} is not within 0 to {size}")
        shape.append(ceildiv(stop - start, step))
    return (types[0].with_shape(tuple(shape)),)


@op(
    "graph.slice",
    1,
    _slice,
    {"start": attribute("dims"), "stop": attribute("dims"), "step": attribute("ints")},
    FLAGS,
)
def slice_(attributes: Attributes, x: Any) -> Any:
    """x[start:stop:step] in every dim; 0 <= start <= stop <= size."""
    bounds = zip(attributes["start"], attributes["stop"], attributes["step"], strict=True)
    return x[tuple(slice(*bound) for bound in bounds)]


def _concat(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    dtype = one_dtype(types)
    dim = normal_dim(attributes["dim"], types[0].rank)
    total: Dimension = 0
    for type in types:
        require(type.rank == types[0].rank, f"{type} and {types[0]} differ in rank")
        shape = (*type.shape[:dim], types[0].shape[dim], *type.shape[dim + 1 :])
        require(shape == types[0].shape, f"{type} and {types[0]} differ outside dim {dim}")
        total = total + type.shape[dim]
    return (TensorType((*types[0].shape[:dim], total, *types[0].shape[dim + 1 :]), dtype),)


@op("graph.concat", (1, None), _concat, {"dim": attribute("int", 0)}, FLAGS)
def concat(attributes: Attributes, *arrays: Any) -> Any:
    """Put the operands after one another along `dim`."""
    return np.concatenate(arrays, axis=attributes["dim"])


def _pad(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    low, high = attributes["low"], attributes["high"]
    rank = types[0].rank
    require(len(low) == len(high) == rank, f"low and high need {rank} numbers each")
    whole = isinstance(attributes["value"], int)
    fits = whole or not types[0].dtype.is_integer
    require(fits, f"value is {attributes['value']}, but {types[0].dtype} needs an integer")
    for a, n, b in zip(low, types[0].shape, high, strict=True):
        left = n + min(a, 0) + min(b, 0)
        enough = not isinstance(left, int) or left >= 0
        require(enough, f"{n} elements do not let {-min(a, 0)} and {-min(b, 0)} be removed")
    shape = tuple(a + n + b for a, n, b in zip(low, types[0].shape, high, strict=True))
    return (types[0].with_shape(shape),)


@op(
    "graph.pad",
    1,
    _pad,
    {"low": attribute("ints"), "high": attribute("ints"), "value": attribute("number", 0)},
    FLAGS,
)
def pad(attributes: Attributes, x: Any) -> Any:
    """Put `low` elements of `value` before and `high` after, in each dim; below 0 removes."""
    low, high = attributes["low"], attributes["high"]
    kept = tuple(
        slice(max(-a, 0), n - max(-b, 0)) for a, n, b in zip(low, x.shape, high, strict=True)
    )
    if not low:
        return x
    widths = [(max(a, 0), max(b, 0)) for a, b in zip(low, high, strict=True)]
    return np.pad(x[kept], widths, constant_values=attributes["value"])


def _flip(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    normal_dims(attributes["dims"], types[0].rank)
    return (types[0],)


@op("graph.flip", 1, _flip, {"dims": attribute("ints")}, FLAGS)
def flip(attributes: Attributes, x: Any) -> Any:
    """Reverse the order along `dims`."""
    return np.flip(x, attributes["dims"])
