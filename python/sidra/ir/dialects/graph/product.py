"""Matrix products: `matmul`, `linear`, `attention`. Sums are float64 inside."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sidra.ir.dialects.graph.inference import (
    broadcast_shapes,
    one_dtype,
    only,
    require,
    require_shape,
)
from sidra.ir.registry import Attributes, Types, attribute, op
from sidra.ir.types import TensorType, i1

NUMBERS = "float complex signed unsigned"


def _matmul(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    a, b = types
    dtype = one_dtype(types)
    require(a.rank >= 2 and b.rank >= 2, "both operands need rank 2 or more")
    require(a.shape[-1] == b.shape[-2], f"{a.shape[-1]} columns and {b.shape[-2]} rows")
    batch = broadcast_shapes([a.shape[:-2], b.shape[:-2]])
    return (TensorType((*batch, a.shape[-2], b.shape[-1]), dtype),)


@op("graph.matmul", 2, only(NUMBERS, _matmul))
def matmul(attributes: Attributes, a: Any, b: Any) -> Any:
    """Return a [.., M, K] times b [.., K, N]; the dims before broadcast."""
    return np.matmul(a, b)


def _linear(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    x, weight = types[:2]
    dtype = one_dtype(types)
    require(weight.rank == 2, f"the weight is {weight}, but must be of rank 2")
    require(x.rank >= 1, f"{x} has no last dim")
    require(x.shape[-1] == weight.shape[1], f"{x} times a weight {weight}: the last dims differ")
    for bias in types[2:]:
        require_shape(bias, (weight.shape[0],), "the bias")
    return (TensorType((*x.shape[:-1], weight.shape[0]), dtype),)


@op("graph.linear", (2, 3), only(NUMBERS, _linear))
def linear(attributes: Attributes, x: Any, weight: Any, *bias: Any) -> Any:
    """X [.., K] times weight [N, K] transposed, plus bias [N]; operands x, weight, bias?."""
    y = np.matmul(x, weight.T)
    return y + bias[0] if bias else y


def _attention(types: Types, attributes: Attributes) -> tuple[TensorType, ...]:
    q, k, v = types[:3]
    dtype = one_dtype(types[:3])
    require(q.rank == k.rank == v.rank >= 3, "q, k and v need one rank, 3 or more")
    require(q.shape[-1] == k.shape[-1], f"q {q} and k {k} differ in the last dim")
    require(k.shape[:-1] == v.shape[:-1], f"k {k} and v {v} differ before the last dim")
    require(q.shape[:-3] == k.shape[:-3], f"q {q} and k {k} differ in the batch")
    heads, shared = q.shape[-3], k.shape[-3]
    require(shared != 0 and heads % shared == 0, f"{shared} heads of k do not divide q's {heads}")
    scores = (*q.shape[:-1], k.shape[-2])
    for mask in types[3:]:
        fits = broadcast_shapes([mask.shape, scores]) == scores
        require(fits, f"the mask {mask} does not broadcast to the scores {scores}")
        require(mask.dtype in (i1, dtype), f"the mask is {mask.dtype}, but must be i1 or {dtype}")
    return (TensorType((*q.shape[:-1], v.shape[-1]), dtype),)


@op(
    "graph.attention",
    (3, 4),
    only("float", _attention),
    {"scale": attribute("float?", None), "causal": attribute("bool", False)},
)
def attention(attributes: Attributes, q: Any, k: Any, v: Any, *masks: Any) -> Any:
    """softmax(scale * q k^T + mask) v; operands q [.., H, L, E], k, v [.., G, S, E], mask?.

    H is a multiple of G: each head of k and v serves H / G heads of q. scale none is 1 / sqrt(E).
    An i1 mask is true where a key takes part, another is added. causal: key j takes part for
    query i if j <= i. A query for which no key takes part gives 0.
    """
    scale = attributes["scale"]
    scale = 1 / math.sqrt(max(q.shape[-1], 1)) if scale is None else scale
    group = q.shape[-3] // k.shape[-3]
    k, v = np.repeat(k, group, axis=-3), np.repeat(v, group, axis=-3)
    scores = scale * np.matmul(q, np.swapaxes(k, -1, -2))
    for mask in masks:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    if attributes["causal"]:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=np.bool_), scores, -np.inf)
    largest = np.max(scores, axis=-1, keepdims=True, initial=-np.inf)
    powers = np.exp(scores - np.where(np.isneginf(largest), 0, largest))
    total = np.sum(powers, axis=-1, keepdims=True)
    return np.matmul(powers / np.where(total == 0, 1, total), v)
