"""Where values lie: which are views of which, with which strides.

A view needs no copy: `reshape` where the strides allow it, `permute`, `slice`, `broadcast` (stride
0). Everything else is dense in row-major order, in a buffer of its own. Strides and offsets are in
elements, and symbolic where shapes are. Two unequal symbolic strides are taken to differ, which
never makes a view of what is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sidra.ir import dims
from sidra.ir.core import Block, Function, Operation, Value
from sidra.ir.dims import Dim, Dimension

Shape = tuple[Dimension, ...]

VIEWS = frozenset({"graph.reshape", "graph.permute", "graph.slice", "graph.broadcast"})


@dataclass(frozen=True)
class Layout:
    """Element i of the value is element `offset + sum of i * strides` of the base."""

    base: Value
    offset: Dimension
    strides: Shape


def layouts(function: Function | Block) -> dict[Value, Layout]:
    """Return the layout of every argument and result; regions are not entered."""
    block = function.body if isinstance(function, Function) else function
    found = {value: dense(value) for value in block.arguments}
    for operation in block.operations:
        view = view_of(operation, found)
        for value in operation.results:
            found[value] = dense(value) if view is None else view
    return found


def dense(value: Value) -> Layout:
    """Return the layout of a value with a buffer of its own."""
    return Layout(value, 0, dense_strides(value.type.shape))


def dense_strides(shape: Sequence[Dimension]) -> Shape:
    """Return the strides of a row-major tensor."""
    strides: list[Dimension] = []
    step: Dimension = 1
    for size in reversed(shape):
        strides.append(step)
        step = size * step
    return tuple(reversed(strides))


def is_dense(shape: Sequence[Dimension], strides: Sequence[Dimension]) -> bool:
    """Whether the elements follow one another in row-major order; dims of 1 do not count."""
    wanted = dense_strides(shape)
    return all(size == 1 or a == b for size, a, b in zip(shape, strides, wanted, strict=True))


def view_of(operation: Operation, found: Mapping[Value, Layout]) -> Layout | None:
    """Return the layout of a view's result, None if the op is no view or needs a copy."""
    if operation.name not in VIEWS:
        return None
    (x,) = operation.operands
    layout, shape = found[x], x.type.shape
    if operation.name == "graph.slice":
        return _slice(operation, layout)
    if operation.name == "graph.permute":
        order = [d % len(shape) for d in _numbers(operation, "dims") if isinstance(d, int)]
        strides = tuple(layout.strides[d] for d in order)
    elif operation.name == "graph.broadcast":
        strides = broadcast_strides(shape, layout.strides, operation.result.type.shape)
    else:
        reshaped = reshape_strides(shape, layout.strides, operation.result.type.shape)
        if reshaped is None:
            return None
        strides = reshaped
    return Layout(layout.base, layout.offset, strides)


def source_of(value: Value) -> Value:
    """Return what a chain of views begins at, whether strides describe the chain or not."""
    while value.operation is not None and value.operation.name in VIEWS:
        value = value.operation.operands[0]
    return value


def is_weight(value: Value) -> bool:
    """Whether the value is a view of a function's argument or of a resource.

    Which arguments are parameters is known at run time only; there the device decides.
    """
    source = source_of(value)
    if isinstance(source.owner, Operation):
        return source.owner.name == "graph.resource"
    return isinstance(source.owner.parent, Function)


def broadcast_strides(shape: Shape, strides: Shape, target: Shape) -> Shape:
    """Return the strides of a tensor that is repeated to `target`: 0 along what is repeated."""
    missing = len(target) - len(shape)
    kept = [
        step if size == wanted else 0
        for size, step, wanted in zip(shape, strides, target[missing:], strict=True)
    ]
    return (*(0,) * missing, *kept)


def reshape_strides(shape: Shape, strides: Shape, target: Shape) -> Shape | None:
    """Return the strides that give the elements, in row-major order, the shape `target`.

    None where there are none, or where symbols do not tell: then a copy is needed.
    """
    if shape == target:
        return strides
    chunks = _chunks(shape, strides)
    result: list[Dimension] = []
    elements, step = chunks.pop() if chunks else (1, 1)
    inside: Dimension = 1  # elements of the chunk that dims of the target take so far
    for size in reversed(target):
        if size != 1 and inside == elements:
            if not chunks:
                return None
            elements, step = chunks.pop()
            inside = 1
        result.append(step * inside)
        inside = size * inside
    return tuple(reversed(result)) if inside == elements and not chunks else None


def row_stride(shape: Shape, strides: Shape) -> Dimension | None:
    """Return the one stride between rows of the last dim, None if there is no such stride.

    A row's elements must follow one another.
    """
    if not shape or not (shape[-1] == 1 or strides[-1] == 1):
        return None
    rows = dims.product(shape[:-1])
    outer = reshape_strides(shape[:-1], strides[:-1], (rows,))
    return outer[0] if outer is not None else None


def _chunks(shape: Shape, strides: Shape) -> list[tuple[Dimension, Dimension]]:
    """Return (elements, stride) of the dims, joined where they lie as one."""
    chunks: list[tuple[Dimension, Dimension]] = []
    for size, step in zip(shape, strides, strict=True):
        if size == 1:
            continue
        if chunks and chunks[-1][1] == step * size:
            chunks[-1] = (chunks[-1][0] * size, step)
        else:
            chunks.append((size, step))
    return chunks


def _slice(operation: Operation, layout: Layout) -> Layout:
    offset = layout.offset
    strides: list[Dimension] = []
    bounds = zip(_numbers(operation, "start"), _numbers(operation, "step"), strict=True)
    for (start, step), stride in zip(bounds, layout.strides, strict=True):
        offset = offset + start * stride
        strides.append(step * stride)
    return Layout(layout.base, offset, tuple(strides))


def _numbers(operation: Operation, name: str) -> list[Dimension]:
    given = operation.attributes[name]
    assert isinstance(given, tuple)
    return [n for n in given if isinstance(n, int | Dim)]
