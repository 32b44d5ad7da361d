"""Operators that select by index, and those that order."""

from __future__ import annotations

from collections.abc import Sequence

from sidra.errors import InferenceError
from sidra.frontend.importers import importer
from sidra.frontend.importers.scribe import Scribe
from sidra.ir.core import Value


@importer("aten.embedding.default")
def embedding(
    s: Scribe, weight: Value, indices: Value, padding_idx: int = -1, *settings: bool
) -> Value:
    """Return a row of the weight for each index."""
    return s.op("embedding", weight, indices)


@importer("aten.index_select.default")
def index_select(s: Scribe, x: Value, dim: int, index: Value) -> Value:
    """Return the elements along a dim that a vector names."""
    if index.type.rank != 1 or x.type.rank == 0:
        raise InferenceError("index_select of or by scalars")
    return s.op("index_select", x, index, dim=dim)


@importer("aten.index.Tensor")
def index(s: Scribe, x: Value, indices: Sequence[Value | None]) -> Value:
    """Return selection by one tensor of integers."""
    given = [(dim, each) for dim, each in enumerate(indices) if each is not None]
    if len(given) != 1 or not given[0][1].type.dtype.is_integer:
        raise InferenceError("an index of several tensors, or of truths")
    ((dim, chosen),) = given
    return s.op("index_select", x, chosen, dim=dim)


@importer("aten.gather.default")
def gather(s: Scribe, x: Value, dim: int, index: Value, *, sparse_grad: bool = False) -> Value:
    """Return elements along a dim, one index each."""
    if x.type.rank == 0:
        raise InferenceError("a scalar")
    return s.op("take_along", x, index, dim=dim)
