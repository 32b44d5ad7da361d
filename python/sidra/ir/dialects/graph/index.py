"""Selection by index, and order along a dim. An index below 0 counts from the end."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidra.ir.dialects.graph.inference import normal_dim, only, require, same_as_first
from sidra.ir.registry import EXACT, PURE, Attributes, Types, attribute, op
from sidra.ir.types import TensorType, i64

FLAGS = (PURE, EXACT)
DIM = {"dim": attribute("int", -1)}
REALS = "float signed unsigned bool"


def _require_index(type: TensorType) -> None:
    require(type.dtype.is_integer, f"the index is {type}, but must be of integers")


def _index_select(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    x, index = types
    _require_index(index)
    dim = normal_dim(attributes["dim"], x.rank)
    return (x.with_shape((*x.shape[:dim], *index.shape, *x.shape[dim + 1 :])),)


@op("graph.index_select", 2, _index_select, {"dim": attribute("int", 0)}, FLAGS)
def index_select(attributes: Attributes, x: Any, index: Any) -> Any:
    """Replace `dim` by the index's dims: element (.., i, ..) is x(.., index(i), ..)."""
    return np.take(x, index, axis=attributes["dim"])


def _embedding(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    weight, index = types
    _require_index(index)
    require(weight.rank == 2, f"the weight is {weight}, but must be of rank 2")
    return (weight.with_shape((*index.shape, weight.shape[1])),)


@op("graph.embedding", 2, _embedding, flags=FLAGS)
def embedding(attributes: Attributes, weight: Any, index: Any) -> Any:
    """Take a row of weight for each index; operands weight [N, D], index."""
    return np.take(weight, index, axis=0)


def _take_along(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    x, index = types
    _require_index(index)
    require(x.rank == index.rank, f"{x} and the index {index} differ in rank")
    dim = normal_dim(attributes["dim"], x.rank)
    for i, (size, taken) in enumerate(zip(x.shape, index.shape, strict=True)):
        static = isinstance(size, int) and isinstance(taken, int)
        fits = i == dim or not static or taken <= size  # type: ignore[operator]
        require(fits, f"the index {index} is larger than {x} in dim {i}")
    return (x.with_shape(index.shape),)


@op("graph.take_along", 2, _take_along, DIM, FLAGS)
def take_along(attributes: Attributes, x: Any, index: Any) -> Any:
    """Element (.., i, ..) is x(.., index(.., i, ..), ..) along `dim`; torch's gather."""
    dim = attributes["dim"] % x.ndim
    part = tuple(slice(None) if i == dim else slice(n) for i, n in enumerate(index.shape))
    return np.take_along_axis(x[part], index.astype(np.int64), axis=dim)


def _along(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    normal_dim(attributes["dim"], types[0].rank)
    return tuple(same_as_first(types, attributes))


@op("graph.cumsum", 1, only("float complex signed unsigned", _along), DIM)
def cumsum(attributes: Attributes, x: Any) -> Any:
    """Return the sum of all elements up to each one, along `dim`, in x's dtype."""
    return np.cumsum(x, axis=attributes["dim"])


def _order(x: Any, dim: int, descending: bool) -> Any:
    """Return indices that sort stably; NaN is larger than all."""
    if not descending:
        return np.argsort(x, axis=dim, kind="stable")
    backwards = np.argsort(np.flip(x, dim), axis=dim, kind="stable")
    return x.shape[dim] - 1 - np.flip(backwards, dim)


def _sort(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    (type,) = _along(types, attributes)
    return type, type.with_dtype(i64)


@op(
    "graph.sort",
    1,
    only(REALS, _sort),
    {**DIM, "descending": attribute("bool", False)},
    FLAGS,
)
def sort(attributes: Attributes, x: Any) -> Any:
    """Values in order along `dim`, stably, and where each was; NaN is larger than all."""
    order = _order(x, attributes["dim"], attributes["descending"])
    return np.take_along_axis(x, order, attributes["dim"]), order


def _topk(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    dim, k = normal_dim(attributes["dim"], types[0].rank), attributes["k"]
    size = types[0].shape[dim]
    require(k >= 0 and not (isinstance(size, int) and k > size), f"k {k} is outside 0 to {size}")
    type = types[0].with_shape((*types[0].shape[:dim], k, *types[0].shape[dim + 1 :]))
    return type, type.with_dtype(i64)


@op(
    "graph.topk",
    1,
    only(REALS, _topk),
    {"k": attribute("int"), **DIM, "largest": attribute("bool", True)},
    FLAGS,
)
def topk(attributes: Attributes, x: Any) -> Any:
    """Return the k largest (smallest) along `dim`, in order, and where each was."""
    dim = attributes["dim"]
    order = np.take(_order(x, dim, attributes["largest"]), np.arange(attributes["k"]), axis=dim)
    return np.take_along_axis(x, order, dim), order
