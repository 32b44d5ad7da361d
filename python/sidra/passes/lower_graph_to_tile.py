"""Products with weights become products of crossbars; attention becomes the compute engine's."""

from __future__ import annotations

from sidra.analysis.layout import is_weight
from sidra.ir.core import Module, Operation, Value
from sidra.ir.pass_manager import Context, Pass, Statistics
from sidra.ir.rewrite import RewritePattern, Rewriter, rewrite
from sidra.ir.types import f32

GRADIENT = "gradient"  # the fact that a graph computes gradients, whose products are exact


class LowerGraphToTile(Pass):
    """Turn f32 `graph.linear` by a weight into `tile.mvm`, f32 attention into `tile.attention`.

    Before:  %0 = graph.linear %x, %w, %b            %w: an argument, a resource, or a view of one
             %1 = graph.relu %0                      used once
    After:   %1 = tile.mvm %x, %w, %b {activation = "relu"}

    An attention whose result is only ever permuted to [.., L, H, E] gives it so (`heads_last`).
    gradient: leave products alone; by default, the context's fact of that name.
    Not handled: `graph.matmul`, run fuse-linear first; weights that are computed, other dtypes and
    ranks of attention: run lower-to-calls after.
    """

    def __init__(self, gradient: bool | None = None):
        self.gradient = gradient

    def run(self, module: Module, context: Context) -> Statistics:
        """Rewrite every function."""
        gradient = context.facts.get(GRADIENT, False) if self.gradient is None else self.gradient
        patterns: list[RewritePattern] = [_Attention(), _HeadsLast()]
        if not gradient:
            patterns += [_Linear(), _Relu()]
        done = [rewrite(function, patterns) for function in module.functions.values()]
        return Statistics(counts={"rewrites": sum(result.rewrites for result in done)})


class _Linear(RewritePattern):
    names = ("graph.linear",)

    def rewrite(self, operation: Operation, rewriter: Rewriter) -> bool:
        weight = operation.operands[1]
        if weight.type.dtype is not f32 or not is_weight(weight):
            return False
        rewriter.replace_by(operation, "tile.mvm", operation.operands)
        return True


class _Relu(RewritePattern):
    names = ("graph.relu",)

    def rewrite(self, operation: Operation, rewriter: Rewriter) -> bool:
        product = operation.operands[0].operation
        if product is None or product.name != "tile.mvm" or len(product.result.uses) != 1:
            return False
        if product.attributes["activation"] != "none":
            return False
        with rewriter.at(product.location):
            rewriter.replace_by(operation, "tile.mvm", product.operands, {"activation": "relu"})
        return True


class _Attention(RewritePattern):
    """To rank 4: the chip's attention has a batch and heads."""

    names = ("graph.attention",)

    def rewrite(self, operation: Operation, rewriter: Rewriter) -> bool:
        q, k, v = operation.operands[:3]
        static = all(isinstance(value.type.shape[-1], int) for value in (q, k, v))
        if q.type.dtype is not f32 or q.type.rank not in (3, 4) or not static:
            return False
        batched = [_batched(rewriter, value) for value in (q, k, v)]
        attributes = {name: operation.attributes[name] for name in ("scale", "causal")}
        masks = operation.operands[3:]
        made = rewriter.create("tile.attention", [*batched, *masks], attributes)
        if q.type.rank == 3:
            made = rewriter.create("graph.reshape", [made], {"shape": operation.result.type.shape})
        rewriter.replace(operation, made)
        return True


def _batched(rewriter: Rewriter, value: Value) -> Value:
    if value.type.rank == 4:
        return value
    return rewriter.create("graph.reshape", [value], {"shape": (1, *value.type.shape)})


class _HeadsLast(RewritePattern):
    names = ("tile.attention",)

    def rewrite(self, operation: Operation, rewriter: Rewriter) -> bool:
        users = operation.result.users
        swaps = [user for user in users if _swaps_heads(user)]
        if operation.attributes["heads_last"] or not users or len(swaps) != len(users):
            return False
        attributes = {**operation.attributes, "heads_last": True}
        made = rewriter.create("tile.attention", operation.operands, attributes)
        for user in swaps:
            rewriter.replace(user, made)
        return True


def _swaps_heads(operation: Operation) -> bool:
    order = operation.attributes.get("dims") if operation.name == "graph.permute" else None
    return isinstance(order, tuple) and [d % 4 for d in order if type(d) is int] == [0, 2, 1, 3]
