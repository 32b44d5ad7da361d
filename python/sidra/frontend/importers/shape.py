"""Operators that move elements, or only say where they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sidra.errors import InferenceError
from sidra.frontend.importers import importer
from sidra.frontend.importers.scribe import Scribe
from sidra.ir.core import Value
from sidra.ir.dims import Dimension


def _dim(dim: int, rank: int) -> int:
    return dim % rank if rank else 0


def _dims(dims: int | Sequence[int], rank: int) -> set[int]:
    return {_dim(d, rank) for d in ([dims] if isinstance(dims, int) else dims)}


@importer("aten.view.default", "aten._unsafe_view.default", "aten.reshape.default")
def view(s: Scribe, x: Value, size: Sequence[Dimension]) -> Value:
    """Return another shape."""
    return s.reshape(x, size)


@importer("aten.permute.default")
def permute(s: Scribe, x: Value, dims: Sequence[int]) -> Value:
    """Return another order of dims."""
    return s.permute(x, dims)


@importer("aten.transpose.int")
def transpose(s: Scribe, x: Value, a: int, b: int) -> Value:
    """Return two dims exchanged."""
    order = list(range(x.type.rank))
    if order:
        order[a], order[b] = order[b], order[a]
    return s.permute(x, order)


@importer("aten.t.default")
def t(s: Scribe, x: Value) -> Value:
    """Return a matrix transposed."""
    return transpose(s, x, 0, 1) if x.type.rank == 2 else x


@importer("aten.expand.default")
def expand(s: Scribe, x: Value, size: Sequence[Dimension], *, implicit: bool = False) -> Value:
    """Return repeated along dims of 1 and new ones; -1 keeps a dim."""
    missing = len(size) - x.type.rank
    shape = tuple(x.type.shape[i - missing] if d == -1 else d for i, d in enumerate(size))
    return s.broadcast(x, shape)


@importer("aten.unsqueeze.default")
def unsqueeze(s: Scribe, x: Value, dim: int) -> Value:
    """Return a dim of 1 inserted."""
    at = dim % (x.type.rank + 1)
    return s.reshape(x, (*x.type.shape[:at], 1, *x.type.shape[at:]))


@importer("aten.squeeze.dim", "aten.squeeze.dims", "aten.squeeze.default")
def squeeze(s: Scribe, x: Value, dim: int | Sequence[int] | None = None) -> Value:
    """Dims of 1 removed."""
    shape = x.type.shape
    gone = _dims(range(len(shape)) if dim is None else dim, len(shape))
    return s.reshape(x, tuple(d for i, d in enumerate(shape) if i not in gone or d != 1))


def _slice(s: Scribe, x: Value, dim: int, start: Any, stop: Any, step: int) -> Value:
    rank = x.type.rank
    starts: list[Dimension] = [0] * rank
    stops = list(x.type.shape)
    steps = [1] * rank
    starts[dim], stops[dim], steps[dim] = start, stop, step
    if start == 0 and stop == x.type.shape[dim] and step == 1:
        return x
    return s.op("slice", x, start=tuple(starts), stop=tuple(stops), step=tuple(steps))


def _bound(bound: Dimension | None, size: Dimension, otherwise: Dimension) -> Dimension:
    """Return a slice's bound, counted from the front and within the size."""
    if bound is None:
        return otherwise
    if isinstance(bound, int):
        if isinstance(size, int):
            return min(max(bound + size if bound < 0 else bound, 0), size)
        if bound >= 2**62:
            return size
        if bound < 0:
            return size + bound
        return bound  # a smaller size is refused where the type that PyTorch gives differs
    return bound


@importer("aten.slice.Tensor")
def slice_(
    s: Scribe,
    x: Value,
    dim: int = 0,
    start: Dimension | None = None,
    end: Dimension | None = None,
    step: int = 1,
) -> Value:
    """Return every step-th element along a dim."""
    dim = _dim(dim, x.type.rank)
    size = x.type.shape[dim]
    first, last = _bound(start, size, 0), _bound(end, size, size)
    if isinstance(first, int) and isinstance(last, int):
        last = max(first, last)
    return _slice(s, x, dim, first, last, step)


@importer("aten.select.int")
def select(s: Scribe, x: Value, dim: int, index: Dimension) -> Value:
    """Return one element along a dim, which goes."""
    dim = _dim(dim, x.type.rank)
    size = x.type.shape[dim]
    at = index + size if isinstance(index, int) and index < 0 else index
    one = _slice(s, x, dim, at, at + 1, 1)
    return s.reshape(one, (*x.type.shape[:dim], *x.type.shape[dim + 1 :]))


@importer("aten.split_with_sizes.default")
def split_with_sizes(
    s: Scribe, x: Value, sizes: Sequence[Dimension], dim: int = 0
) -> tuple[Value, ...]:
    """Return parts along a dim."""
    dim = _dim(dim, x.type.rank)
    parts, at = [], 0
    for size in sizes:
        parts.append(_slice(s, x, dim, at, at + size, 1))
        at = at + size  # type: ignore[assignment]
    return tuple(parts)


@importer("aten.split.Tensor")
def split(s: Scribe, x: Value, size: int, dim: int = 0) -> tuple[Value, ...]:
    """Return parts of one size along a dim, the last smaller."""
    whole = x.type.shape[_dim(dim, x.type.rank)]
    if not (isinstance(whole, int) and isinstance(size, int)):
        raise InferenceError("a symbolic number of parts")
    sizes = [min(size, whole - at) for at in range(0, whole, size)] or [0]
    return split_with_sizes(s, x, sizes, dim)


@importer("aten.unbind.int")
def unbind(s: Scribe, x: Value, dim: int = 0) -> tuple[Value, ...]:
    """Return each element along a dim."""
    size = x.type.shape[_dim(dim, x.type.rank)]
    if not isinstance(size, int):
        raise InferenceError("a symbolic number of results")
    return tuple(select(s, x, dim, index) for index in range(size))


@importer("aten.cat.default")
def cat(s: Scribe, tensors: Sequence[Value], dim: int = 0) -> Value:
    """Return the tensors after one another; empty vectors are left out, as PyTorch does."""
    dtype = s.result_dtype
    kept = [t for t in tensors if not (t.type.shape == (0,) and len(tensors) > 1)]
    kept = [s.convert(t, dtype) for t in kept or tensors[:1]]
    return kept[0] if len(kept) == 1 else s.op("concat", *kept, dim=dim)


@importer("aten.stack.default")
def stack(s: Scribe, tensors: Sequence[Value], dim: int = 0) -> Value:
    """Return the tensors along a new dim."""
    at = dim % (tensors[0].type.rank + 1)
    return cat(s, [unsqueeze(s, each, at) for each in tensors], at)


@importer("aten.constant_pad_nd.default")
def pad(s: Scribe, x: Value, pad: Sequence[Dimension], value: Any = 0) -> Value:
    """Return a number around the elements; `pad` counts from the last dim."""
    if not all(isinstance(p, int) for p in pad):
        raise InferenceError("a symbolic pad")
    pairs = [(0, 0)] * (x.type.rank - len(pad) // 2)
    pairs += [(pad[i], pad[i + 1]) for i in range(len(pad) - 2, -2, -2)]
    number = float(value) if x.type.dtype.is_float else value
    low, high = (tuple(pair[side] for pair in pairs) for side in (0, 1))
    return s.op("pad", x, low=low, high=high, value=number)


@importer("aten.flip.default")
def flip(s: Scribe, x: Value, dims: Sequence[int]) -> Value:
    """Return the order reversed."""
    return s.op("flip", x, dims=tuple(dims))


@importer("aten.repeat.default")
def repeat(s: Scribe, x: Value, repeats: Sequence[Dimension]) -> Value:
    """Return the whole tensor, repeated along each dim."""
    shape = (*(1,) * (len(repeats) - x.type.rank), *x.type.shape)
    pairs = [(times, size) for times, size in zip(repeats, shape, strict=True)]
    spread = s.reshape(x, tuple(d for _, size in pairs for d in (1, size)))
    wide = s.broadcast(spread, tuple(d for pair in pairs for d in pair))
    return s.reshape(wide, tuple(times * size for times, size in pairs))
