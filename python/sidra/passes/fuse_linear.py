"""Products by a weight, and the bias added to them, become `graph.linear`."""

from __future__ import annotations

from sidra.analysis.layout import is_weight
from sidra.ir.core import Module, Operation, Value
from sidra.ir.pass_manager import Context, Pass, Statistics
from sidra.ir.rewrite import RewritePattern, Rewriter, rewrite


class FuseLinear(Pass):
    """Gather a product by a weight, a bias and reshapes of rows into one `graph.linear`.

    Before:  %0 = graph.reshape %x                  [s0, s1, 8] to [s0*s1, 8]
             %1 = graph.permute %w {dims = [1, 0]}  w: [6, 8]
             %2 = graph.matmul %0, %1
             %3 = graph.add %2, %b                  b: [6], a weight too
             %4 = graph.reshape %3                  to [s0, s1, 6]
    After:   %4 = graph.linear %x, %w, %b

    A weight [K, N] that is not transposed is, as a view. Adding the bias inside rounds once less.
    Not handled: weights on the left, products of which something else needs the sum without bias.
    """

    def run(self, module: Module, context: Context) -> Statistics:
        """Rewrite every function."""
        patterns = [_Matmul(), _RowsOfX(), _RowsOfY(), _Bias()]
        done = [rewrite(function, patterns) for function in module.functions.values()]
        return Statistics(counts={"rewrites": sum(result.rewrites for result in done)})


class _Matmul(RewritePattern):
    names = ("graph.matmul",)

    def rewrite(self, operation: Operation, rewriter: Rewriter) -> bool:
        x, weight = operation.operands
        if weight.type.rank != 2 or not is_weight(weight):
            return False
        rewriter.replace_by(operation, "graph.linear", [x, _transposed(rewriter, weight)])
        return True


def _transposed(rewriter: Rewriter, weight: Value) -> Value:
    maker = weight.operation
    if maker is not None and maker.name == "graph.permute":
        (source,) = maker.operands
        if weight.type.shape == source.type.shape[::-1]:
            order = maker.attributes["dims"]
            if isinstance(order, tuple) and [d % 2 for d in order if type(d) is int] == [1, 0]:
                return source
    return rewriter.create("graph.permute", [weight], {"dims": (1, 0)})


def _keeps_rows(operation: Operation | None) -> bool:
    """Whether it is a reshape that leaves the last dim as it is."""
    if operation is None or operation.name != "graph.reshape":
        return False
    before, after = operation.operands[0].type.shape, operation.result.type.shape
    return bool(before and after) and before[-1] == after[-1]


class _RowsOfX(RewritePattern):
    """linear(reshape(x)) to reshape(linear(x))."""

    names = ("graph.linear",)

    def rewrite(self, operation: Operation, rewriter: Rewriter) -> bool:
        x, *parameters = operation.operands
        if x.operation is None or not _keeps_rows(x.operation):
            return False
        made = rewriter.create("graph.linear", [x.operation.operands[0], *parameters])
        shape = operation.result.type.shape
        rewriter.replace_by(operation, "graph.reshape", [made], {"shape": shape})
        return True


class _RowsOfY(RewritePattern):
    """reshape(reshape(linear(x))) to one reshape, or none."""

    names = ("graph.reshape",)

    def rewrite(self, operation: Operation, rewriter: Rewriter) -> bool:
        inner = operation.operands[0].operation
        if inner is None or not _keeps_rows(inner):
            return False
        product = inner.operands[0]
        if product.operation is None or product.operation.name != "graph.linear":
            return False
        if product.type == operation.result.type:
            rewriter.replace(operation, product)
        else:
            shape = operation.result.type.shape
            rewriter.replace_by(operation, "graph.reshape", [product], {"shape": shape})
        return True


class _Bias(RewritePattern):
    names = ("graph.add",)

    def rewrite(self, operation: Operation, rewriter: Rewriter) -> bool:
        return any(
            _add_bias(operation, y, bias, rewriter)
            for y, bias in (operation.operands, operation.operands[::-1])
        )


def _add_bias(operation: Operation, y: Value, bias: Value, rewriter: Rewriter) -> bool:
    """Put `bias` into the product that `y` is, or is a reshape of; False if it does not fit."""
    through = y.operation
    product = through.operands[0].operation if _keeps_rows(through) and through else through
    if product is None or product.name != "graph.linear" or len(product.operands) != 2:
        return False
    alone = all(len(value.uses) == 1 for value in (y, product.result))
    columns = product.operands[1].type.shape[0]
    fits = bias.type.elements == columns and bias.type.shape[-1:] == (columns,)
    if not (alone and fits and is_weight(bias) and y.type == operation.result.type):
        return False
    if bias.type.rank != 1:
        bias = rewriter.create("graph.reshape", [bias], {"shape": (columns,)})
    with rewriter.at(product.location):
        made = rewriter.create("graph.linear", [*product.operands, bias])
    if made.type != y.type:
        made = rewriter.create("graph.reshape", [made], {"shape": y.type.shape})
    rewriter.replace(operation, made)
    return True
