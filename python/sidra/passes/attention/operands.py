"""What a written-out attention multiplies, as operands of `graph.attention`.

Batched products are taken of [B, L, E], whatever the batch was: reshapes that leave the last two
dims are undone, so that q, k and v are the views that they were.
"""

from __future__ import annotations

from collections.abc import Sequence

from sidra.ir import dims
from sidra.ir.attributes import Dense
from sidra.ir.core import Operation, Value
from sidra.ir.dims import Dimension
from sidra.ir.rewrite import Rewriter

Shape = tuple[Dimension, ...]


def keeps_matrices(operation: Operation) -> bool:
    """Whether it is a reshape that leaves the last two dims as they are."""
    if operation.name != "graph.reshape":
        return False
    before, after = operation.operands[0].type.shape, operation.result.type.shape
    return len(before) >= 2 and before[-2:] == after[-2:]


def is_batch_of(value: Value, batch: Shape) -> bool:
    """Whether a value [.., M, N] has as many matrices as the batch, each its own."""
    return dims.product(value.type.shape[:-2]) == dims.product(batch)


def unscaled(value: Value) -> tuple[Value, float]:
    """Return what a value [.., M, N] was before it was scaled by a number, and the number."""
    found, factor = value, 1.0
    while len(found.uses) == 1 and found.operation is not None:
        maker = found.operation
        if maker.name == "graph.mul" and maker.operands[0].type == maker.result.type:
            number = number_of(maker.operands[1])
            if number is None:
                break
            value, factor = maker.operands[0], factor * number
        elif not keeps_matrices(maker):
            break
        found = maker.operands[0]
    return value, factor


def number_of(value: Value) -> float | None:
    """Return the number that a constant, however broadcast, consists of; None for others."""
    operation = value.operation
    while operation is not None and operation.name in ("graph.broadcast", "graph.reshape"):
        operation = operation.operands[0].operation
    if operation is None:
        return None
    given = operation.attributes.get("value")
    if operation.name == "graph.full" and isinstance(given, int | float):
        return float(given)
    if operation.name == "graph.constant" and isinstance(given, Dense) and given.array.size == 1:
        return float(given.array.reshape(-1)[0])
    return None


def rows_of(rewriter: Rewriter, value: Value, batch: Shape) -> Value:
    """Return a value [.., L, E] as [*batch, L, E]."""
    value = _matrices(value, batch)
    shape = (*batch, *value.type.shape[-2:])
    if value.type.shape == shape:
        return value
    return rewriter.create("graph.reshape", [value], {"shape": shape})


def keys_of(rewriter: Rewriter, transposed: Value, batch: Shape) -> Value:
    """Return keys [*batch, S, E] of their transposes [.., E, S]."""
    value = _matrices(transposed, batch)
    rank = value.type.rank
    order = [*range(rank - 2), rank - 1, rank - 2]
    maker = value.operation
    if maker is not None and maker.name == "graph.permute":
        inner = _order(maker)
        order = [inner[dim] for dim in order]
        value = maker.operands[0]
    if order != list(range(rank)):
        value = rewriter.create("graph.permute", [value], {"dims": tuple(order)})
    return rows_of(rewriter, value, batch)


def shared_heads(rewriter: Rewriter, k: Value, v: Value) -> tuple[Value, Value]:
    """Return k and v [.., G, S, E] from before both were repeated to [.., H, S, E]."""
    sources = [_before_repeat(value) for value in (k, v)]
    if None in sources or len({_heads(source) for source in sources}) != 1:
        return k, v
    shared = []
    for source in sources:
        assert source is not None
        shape = (*source.type.shape[:-3], *source.type.shape[-2:])
        shared.append(rewriter.create("graph.reshape", [source], {"shape": shape}))
    return shared[0], shared[1]


def _heads(value: Value | None) -> Dimension:
    return 0 if value is None else value.type.shape[-4]


def _before_repeat(value: Value) -> Value | None:
    """Return [.., G, 1, S, E], of which the value is n copies as G * n heads; None if not."""
    reshape = value.operation
    if reshape is None or not keeps_matrices(reshape):
        return None
    broadcast = reshape.operands[0].operation
    if broadcast is None or broadcast.name != "graph.broadcast":
        return None
    (source,) = broadcast.operands
    before, after = source.type.shape, broadcast.result.type.shape
    repeats = len(before) == len(after) >= 4 and before[-3] == 1
    same = before[:-3] == after[:-3] and before[-2:] == after[-2:]
    merged = (*after[:-4], after[-4] * after[-3], *after[-2:]) if repeats else ()
    return source if repeats and same and value.type.shape == merged else None


def _matrices(value: Value, batch: Shape) -> Value:
    """Undo reshapes of the dims before the last two, until they are the batch."""
    found = value
    while found.type.shape[:-2] != batch:
        maker = found.operation
        if maker is None or not keeps_matrices(maker):
            return value
        found = maker.operands[0]
    return found


def _order(permute: Operation) -> Sequence[int]:
    order = permute.attributes["dims"]
    assert isinstance(order, tuple)
    return [dim % len(order) for dim in order if isinstance(dim, int)]
