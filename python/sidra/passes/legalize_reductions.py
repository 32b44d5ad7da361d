"""Reductions over any dims become reductions over trailing or leading dims."""

from __future__ import annotations

from collections.abc import Sequence

from sidra.analysis.kernels import (
    REDUCTIONS,
    SOFTMAXES,
    Unfit,
    reduced_dims,
    reduction_space,
)
from sidra.ir.core import Module, Operation, Value
from sidra.ir.pass_manager import Context, Pass, Statistics
from sidra.ir.rewrite import RewritePattern, Rewriter, rewrite


class LegalizeReductions(Pass):
    """Permute dims so that each reduction and softmax has loops.

    Before:  %0 = graph.sum %x {dims = [0, 2]}          x: [s0, 8, 9]
    After:   %1 = graph.permute %x {dims = [1, 0, 2]}   [8, s0, 9]
             %0 = graph.sum %1 {dims = [1, 2]}          [8]

    A softmax over another dim than the last is permuted back after.
    Establishes: `kernels.reduction_space` refuses no op.
    """

    def run(self, module: Module, context: Context) -> Statistics:
        """Rewrite every function."""
        done = [rewrite(f, [_Reduction(), _Softmax()]) for f in module.functions.values()]
        return Statistics(counts={"permuted": sum(result.rewrites for result in done)})


def _is_refused(operation: Operation) -> bool:
    try:
        reduction_space(operation)
    except Unfit:
        return True
    return False


def _permute(rewriter: Rewriter, value: Value, order: Sequence[int]) -> Value:
    return rewriter.create("graph.permute", [value], {"dims": tuple(order)})


class _Reduction(RewritePattern):
    names = tuple(sorted(REDUCTIONS))

    def rewrite(self, operation: Operation, rewriter: Rewriter) -> bool:
        reduced = reduced_dims(operation)
        if reduced is None or not _is_refused(operation):
            return False
        (x,) = operation.operands
        kept = [dim for dim in range(x.type.rank) if dim not in reduced]
        turned = _permute(rewriter, x, [*kept, *reduced])
        last = tuple(range(len(kept), x.type.rank))
        attributes = {**operation.attributes, "dims": last, "keepdim": False}
        value = rewriter.create(operation.name, [turned], attributes)
        if operation.attributes["keepdim"]:
            shape = operation.result.type.shape
            value = rewriter.create("graph.reshape", [value], {"shape": shape})
        rewriter.replace(operation, value)
        return True


class _Softmax(RewritePattern):
    names = tuple(sorted(SOFTMAXES))

    def rewrite(self, operation: Operation, rewriter: Rewriter) -> bool:
        reduced = reduced_dims(operation)
        if reduced is None or not _is_refused(operation):
            return False
        (x,) = operation.operands
        order = [dim for dim in range(x.type.rank) if dim not in reduced] + list(reduced)
        turned = _permute(rewriter, x, order)
        value = rewriter.create(operation.name, [turned], {"dim": -1})
        back = sorted(range(len(order)), key=order.__getitem__)
        rewriter.replace(operation, _permute(rewriter, value, back))
        return True
