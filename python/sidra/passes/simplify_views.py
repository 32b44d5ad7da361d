"""Views of views become one, and views of everything nothing."""

from __future__ import annotations

from sidra.analysis.layout import VIEWS
from sidra.ir.core import Module, Operation
from sidra.ir.pass_manager import Context, Pass, Statistics
from sidra.ir.rewrite import RewritePattern, Rewriter, rewrite


class SimplifyViews(Pass):
    """Fold chains of views.

    Before:  %0 = graph.reshape %x {shape = [8, 4]}        x: [2, 4, 4]
             %1 = graph.reshape %0 {shape = [2, 4, 4]}
             %2 = graph.permute %1 {dims = [0, 2, 1]}
             %3 = graph.permute %2 {dims = [1, 0, 2]}
    After:   %3 = graph.permute %x {dims = [2, 0, 1]}

    A conversion to the dtype that the operand has goes, too.
    Not handled: slices of slices; views of several kinds in a row.
    """

    def run(self, module: Module, context: Context) -> Statistics:
        """Rewrite every function."""
        patterns = [_Nothing(), _Chain(), _Permutes()]
        done = [rewrite(function, patterns) for function in module.functions.values()]
        return Statistics(counts={"folded": sum(result.rewrites for result in done)})


class _Nothing(RewritePattern):
    names = (*sorted(VIEWS), "graph.convert")

    def rewrite(self, operation: Operation, rewriter: Rewriter) -> bool:
        (x,) = operation.operands
        order = operation.attributes.get("dims")
        moves = isinstance(order, tuple) and _order(operation) != list(range(x.type.rank))
        steps = operation.attributes.get("step")
        skips = isinstance(steps, tuple) and any(step != 1 for step in steps)
        if x.type != operation.result.type or moves or skips:
            return False
        rewriter.replace(operation, x)
        return True


class _Chain(RewritePattern):
    """The last reshape or broadcast says all."""

    names = ("graph.reshape", "graph.broadcast")

    def rewrite(self, operation: Operation, rewriter: Rewriter) -> bool:
        inner = operation.operands[0].operation
        if inner is None or inner.name != operation.name:
            return False
        rewriter.replace_by(operation, operation.name, inner.operands, operation.attributes)
        return True


class _Permutes(RewritePattern):
    names = ("graph.permute",)

    def rewrite(self, operation: Operation, rewriter: Rewriter) -> bool:
        inner = operation.operands[0].operation
        if inner is None or inner.name != "graph.permute":
            return False
        first = _order(inner)
        order = tuple(first[dim] for dim in _order(operation))
        rewriter.replace_by(operation, "graph.permute", inner.operands, {"dims": order})
        return True


def _order(permute: Operation) -> list[int]:
    order = permute.attributes["dims"]
    assert isinstance(order, tuple)
    return [dim % len(order) for dim in order if isinstance(dim, int)]
