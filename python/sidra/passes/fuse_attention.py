"""Attention that is written out becomes one op."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from sidra.ir.core import Module, Operation, Value
from sidra.ir.pass_manager import Context, Pass, Statistics
from sidra.ir.rewrite import RewritePattern, Rewriter, rewrite
from sidra.ir.types import f32, i1
from sidra.passes.attention.operands import (
    is_batch_of,
    keeps_matrices,
    keys_of,
    number_of,
    rows_of,
    shared_heads,
    unscaled,
)


class FuseAttention(Pass):
    """Match softmax(scale * q k^T + mask) v in f32.

    Before:  %0 = graph.permute %k {dims = [0, 1, 3, 2]}    After:  %5 = graph.attention
             %1 = graph.matmul %q, %0                                   %q, %k, %v, %mask
             %2 = graph.mul %1, 0.125                                   {scale = 0.125}
             %3 = graph.add %2, %mask
             %4 = graph.softmax %3
             %5 = graph.matmul %4, %v

    Reshapes of the dims before the last two are seen through, and keys and values that are repeated
    for several heads are taken before that. A select with -inf is an i1 mask. q and k may be scaled
    before the product, and rows without a key may be set to 0, as PyTorch writes attention out.
    A scale that is known at run time only is q's.
    Not handled: probabilities or scores that something else needs, as a backward does.
    A query whose keys are all masked by -inf gives 0, where the softmax gave NaN.
    """

    def run(self, module: Module, context: Context) -> Statistics:
        """Rewrite every function."""
        done = [rewrite(function, [_Attention()]) for function in module.functions.values()]
        return Statistics(counts={"attentions": sum(result.rewrites for result in done)})


@dataclass(frozen=True)
class _Scores:
    """scale * product + mask. factors: ops by tensors of one number that scale it further."""

    product: Operation
    scale: float = 1.0
    factors: tuple[tuple[str, Value], ...] = ()
    mask: Value | None = None


class _Attention(RewritePattern):
    names = ("graph.matmul",)

    def rewrite(self, operation: Operation, rewriter: Rewriter) -> bool:
        probabilities, values = operation.operands
        softmax = _alone(_through_rows(probabilities))
        uses = 1
        if softmax is not None and softmax.name == "graph.select":
            softmax, uses = _without_empty_rows(softmax), 2
        if softmax is None or softmax.name != "graph.softmax" or values.type.dtype is not f32:
            return False
        scores = softmax.operands[0]
        if softmax.attributes["dim"] not in (-1, scores.type.rank - 1) or scores.type.rank < 3:
            return False
        found = _scores(scores, uses)
        if found is None or not _mask_fits(found.mask):
            return False
        batch = scores.type.shape[:-2]
        if not all(is_batch_of(value, batch) for value in (*found.product.operands, values)):
            return False
        _build(operation, scores, found, rewriter)
        return True


def _build(operation: Operation, scores: Value, found: _Scores, rewriter: Rewriter) -> None:
    batch = scores.type.shape[:-2]
    left, right = found.product.operands
    left, q_scale = unscaled(left)
    right, k_scale = unscaled(right)
    q = rows_of(rewriter, left, batch)
    for name, factor in found.factors:
        q = rewriter.create(name, [q, factor])
    k = keys_of(rewriter, right, batch)
    v = rows_of(rewriter, operation.operands[1], batch)
    k, v = shared_heads(rewriter, k, v)
    masks = [] if found.mask is None else [found.mask]
    scale = found.scale * q_scale * k_scale
    made = rewriter.create("graph.attention", [q, k, v, *masks], {"scale": scale})
    if made.type != operation.result.type:
        shape = operation.result.type.shape
        made = rewriter.create("graph.reshape", [made], {"shape": shape})
    rewriter.replace(operation, made)


def _without_empty_rows(select: Operation) -> Operation | None:
    """Match a softmax whose rows are 0 where every score is -inf."""
    empty, zero, probabilities = select.operands
    softmax = _alone(probabilities)
    if softmax is None or number_of(zero) != 0:
        return None
    scores: Value | None = empty
    for name in ("logical_not", "any", "logical_not", "eq"):
        scores = _operand_of(name, scores)
    return softmax if softmax.operands[:1] == (scores,) else None


def _operand_of(name: str, value: Value | None) -> Value | None:
    """Return the first operand of an op of that name; of `any` over rows, of `eq` with -inf."""
    operation = None if value is None else _alone(value)
    if operation is None or operation.name != f"graph.{name}":
        return None
    x, *others = operation.operands
    if others and number_of(others[0]) != -math.inf:
        return None
    rows = name != "any" or operation.attributes["dims"] in ((-1,), (x.type.rank - 1,))
    return x if rows else None


def _scores(value: Value, uses: int = 1) -> _Scores | None:
    """Match scale * q k^T + mask, each part used nowhere else, the whole `uses` times."""
    operation = value.operation if len(value.uses) == uses else None
    if operation is None:
        return None
    if operation.name == "graph.matmul":
        return _Scores(operation)
    match = _MATCHES.get(operation.name)
    return match(operation) if match is not None else None


def _reshaped(operation: Operation) -> _Scores | None:
    inner = _scores(operation.operands[0]) if keeps_matrices(operation) else None
    return inner if inner is not None and inner.mask is None else None


def _scaled(operation: Operation) -> _Scores | None:
    a, b = operation.operands
    if operation.name == "graph.mul" and b.type.rank > 0:
        a, b = b, a
    inner = _scores(a)
    if inner is None or inner.mask is not None or b.type.elements != 1:
        return None
    factor = number_of(b)
    if factor is None:
        fits = b.type.rank == 0
        return replace(inner, factors=(*inner.factors, (operation.name, b))) if fits else None
    if operation.name == "graph.mul":
        return replace(inner, scale=inner.scale * factor)
    return replace(inner, scale=inner.scale / factor) if factor != 0 else None


def _masked(operation: Operation) -> _Scores | None:
    for y, mask in (operation.operands, operation.operands[::-1]):
        inner = _scores(y)
        if inner is not None and inner.mask is None and y.type == operation.result.type:
            return replace(inner, mask=mask)
    return None


def _selected(operation: Operation) -> _Scores | None:
    condition, y, other = operation.operands
    inner = _scores(y)
    fits = inner is not None and inner.mask is None and y.type == operation.result.type
    if inner is None or not fits or number_of(other) != -math.inf:
        return None
    return replace(inner, mask=condition)


_MATCHES = {
    "graph.reshape": _reshaped,
    "graph.mul": _scaled,
    "graph.div": _scaled,
    "graph.add": _masked,
    "graph.select": _selected,
}


def _mask_fits(mask: Value | None) -> bool:
    return mask is None or mask.type.dtype in (f32, i1)


def _alone(value: Value) -> Operation | None:
    """Return the op of a value that is used once."""
    return value.operation if len(value.uses) == 1 else None


def _through_rows(value: Value) -> Value:
    """Return what is reshaped, as long as the last two dims stay and nobody else looks."""
    while len(value.uses) == 1 and value.operation is not None and keeps_matrices(value.operation):
        value = value.operation.operands[0]
    return value
