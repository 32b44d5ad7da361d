"""Reductions over dims: `dims` none means all; `keepdim` leaves a 1 for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sidra.ir.dialects.graph.inference import (
    as_bool,
    normal_dim,
    normal_dims,
    only,
)
from sidra.ir.registry import EXACT, PURE, Attributes, AttributeSpec, Infer, Types, attribute, op
from sidra.ir.types import Array, TensorType, i64

DIMS: dict[str, AttributeSpec] = {
    "dims": attribute("ints?", None),
    "keepdim": attribute("bool", False),
}
NUMBERS = "float signed unsigned complex"
REALS = "float signed unsigned bool"


def _reduced(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    gone = normal_dims(attributes["dims"], types[0].rank)
    shape = types[0].shape
    if attributes["keepdim"]:
        return (types[0].with_shape(tuple(1 if i in gone else d for i, d in enumerate(shape))),)
    return (types[0].with_shape(tuple(d for i, d in enumerate(shape) if i not in gone)),)


def _reduction(
    name: str,
    meaning: Callable[..., Any],
    kinds: str,
    formula: str,
    infer: Infer = _reduced,
    flags: tuple[str, ...] = (PURE,),
) -> None:
    def evaluate(attributes: Attributes, x: Array) -> Any:
        axis = normal_dims(attributes["dims"], x.ndim)
        return meaning(x, axis=axis, keepdims=attributes["keepdim"])

    evaluate.__doc__ = formula
    op(f"graph.{name}", 1, only(kinds, infer), DIMS, flags)(evaluate)


_reduction("sum", np.sum, NUMBERS, "the sum, in x's dtype; integers wrap")
_reduction("prod", np.prod, NUMBERS, "the product, in x's dtype")
_reduction("mean", np.mean, "float complex", "sum / count")
_reduction("min", np.min, REALS, "the smallest; NaN if any is", flags=(PURE, EXACT))
_reduction("max", np.max, REALS, "the largest; NaN if any is", flags=(PURE, EXACT))
_reduction("any", np.any, NUMBERS + " bool", "whether one is not 0", as_bool(_reduced))
_reduction("all", np.all, NUMBERS + " bool", "whether none is 0", as_bool(_reduced))


@op(
    "graph.var",
    1,
    only("float", _reduced),
    {**DIMS, "correction": attribute("number", 1)},
)
def var(attributes: Attributes, x: Any) -> Any:
    """Return the sum of (x - mean)^2, / (count - correction)."""
    axis = normal_dims(attributes["dims"], x.ndim)
    keep = attributes["keepdim"]
    count = np.prod([x.shape[a] for a in axis], dtype=np.float64)
    squares = np.square(x - np.mean(x, axis=axis, keepdims=True))
    divisor = np.maximum(count - attributes["correction"], 0)
    return np.sum(squares, axis=axis, keepdims=keep) / divisor


def _argument(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    dim = attributes["dim"]
    dims = None if dim is None else (normal_dim(dim, types[0].rank),)
    (type,) = _reduced(types, {"dims": dims, "keepdim": attributes["keepdim"]})
    return (type.with_dtype(i64),)


DIM: dict[str, AttributeSpec] = {
    "dim": attribute("int?", None),
    "keepdim": attribute("bool", False),
}


@op("graph.argmax", 1, only(REALS, _argument), DIM, (PURE, EXACT))
def argmax(attributes: Attributes, x: Any) -> Any:
    """Where the largest is first, along `dim`, or in the flattened x."""
    return np.argmax(x, axis=attributes["dim"], keepdims=attributes["keepdim"])


@op("graph.argmin", 1, only(REALS, _argument), DIM, (PURE, EXACT))
def argmin(attributes: Attributes, x: Any) -> Any:
    """Where the smallest is first, along `dim`, or in the flattened x."""
    return np.argmin(x, axis=attributes["dim"], keepdims=attributes["keepdim"])
