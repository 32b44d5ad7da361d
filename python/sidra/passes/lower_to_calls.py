"""Ops without loops become calls of PyTorch operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from sidra.analysis.kernels import is_supported
from sidra.errors import PassError
from sidra.ir.attributes import Attribute
from sidra.ir.core import Module, Operation
from sidra.ir.pass_manager import Context, Pass, Statistics
from sidra.ir.rewrite import RewritePattern, Rewriter, rewrite

# The operator, with its overload, and one entry for each argument of its schema.
Call: TypeAlias = tuple[str, tuple[Attribute, ...]]
NONE = "$none"


class LowerToCalls(Pass):
    """Turn products of activations, convolutions, pools, orders, scans into `graph.external`.

    Before:  %0 = graph.matmul %a, %b
    After:   %0 = graph.external %a, %b {operator = "aten::matmul", arguments = ["$0", "$1"]}

    `arguments` has an entry for each argument of the operator's schema, in order: `$0` is operand
    0, `$none` is None, a dtype is PyTorch's. Not handled: external ops that are there already.
    Establishes: every op is one that a kernel may hold, a step, a view or a constant.
    """

    def run(self, module: Module, context: Context) -> Statistics:
        """Rewrite every function. Raises PassError for what no operator is the same as."""
        done = [rewrite(function, [_ToCall()]) for function in module.functions.values()]
        return Statistics(counts={"calls": sum(result.rewrites for result in done)})


class _ToCall(RewritePattern):
    def rewrite(self, operation: Operation, rewriter: Rewriter) -> bool:
        make = CALLS.get(operation.name)
        if make is None or is_supported(operation):
            return False
        operator, arguments = make(operation)
        attributes: dict[str, Attribute] = {"operator": operator, "arguments": arguments}
        types = [value.type for value in operation.results]
        rewriter.replace_by(
            operation, "graph.external", operation.operands, attributes, result_types=types
        )
        return True


def _optional(operation: Operation, index: int) -> str:
    return f"${index}" if len(operation.operands) > index else NONE


def _or_none(value: Attribute) -> Attribute:
    return NONE if value is None else value


def _matmul(operation: Operation) -> Call:
    return "aten::matmul", ("$0", "$1")


def _linear(operation: Operation) -> Call:
    return "aten::linear", ("$0", "$1", _optional(operation, 2))


def _attention(operation: Operation) -> Call:
    causal, mask = operation.attributes["causal"], _optional(operation, 3)
    if causal and mask != NONE:
        raise PassError("graph.attention with a mask and causal is no call; put both in the mask")
    q, k = (value.type.shape for value in operation.operands[:2])
    grouped = q[-3] != k[-3]
    scale = _or_none(operation.attributes["scale"])
    arguments = ("$0", "$1", "$2", mask, 0.0, causal, scale, grouped)
    return "aten::scaled_dot_product_attention", arguments


def _convolution(operation: Operation) -> Call:
    given = operation.attributes
    names = ("stride", "padding", "dilation", "transposed", "output_padding", "groups")
    settings = tuple(given[name] for name in names)
    return "aten::convolution", ("$0", "$1", _optional(operation, 2), *settings)


def _pooled_dims(operation: Operation, attribute: str) -> int:
    """Return how many dims a pool runs over: 1 to 3, with batch and channels before them."""
    kernel = operation.attributes[attribute]
    assert isinstance(kernel, tuple)
    type, rank = operation.operands[0].type, len(kernel)
    if rank > 3 or type.rank - rank not in (1, 2):
        raise PassError(f"{operation.name} over {rank} dims of {type} is no call")
    return rank


def _max_pool(operation: Operation) -> Call:
    rank, given = _pooled_dims(operation, "kernel"), operation.attributes
    names = ("kernel", "stride", "padding", "dilation", "ceil_mode")
    return f"aten::max_pool{rank}d", ("$0", *(given[name] for name in names))


def _avg_pool(operation: Operation) -> Call:
    rank, given = _pooled_dims(operation, "kernel"), operation.attributes
    names = ("kernel", "stride", "padding", "ceil_mode", "count_include_pad")
    arguments = ("$0", *(given[name] for name in names))
    if rank > 1:
        return f"aten::avg_pool{rank}d", (*arguments, _or_none(given["divisor"]))
    if given["divisor"] is not None:
        raise PassError("graph.avg_pool over 1 dim with a divisor is no call")
    return "aten::avg_pool1d", arguments


def _adaptive_avg_pool(operation: Operation) -> Call:
    rank = _pooled_dims(operation, "size")
    return f"aten::adaptive_avg_pool{rank}d", ("$0", operation.attributes["size"])


def _sort(operation: Operation) -> Call:
    given = operation.attributes
    return "aten::sort.stable", ("$0", True, given["dim"], given["descending"])


def _topk(operation: Operation) -> Call:
    given = operation.attributes
    return "aten::topk", ("$0", given["k"], given["dim"], given["largest"], True)


def _cumsum(operation: Operation) -> Call:
    return "aten::cumsum", ("$0", operation.attributes["dim"], operation.operands[0].type.dtype)


def _argmax(operation: Operation) -> Call:
    given = operation.attributes
    name = operation.name.rpartition(".")[2]
    return f"aten::{name}", ("$0", _or_none(given["dim"]), given["keepdim"])


def _pow(operation: Operation) -> Call:
    return "aten::pow.Tensor_Tensor", ("$0", "$1")


CALLS: Mapping[str, Callable[[Operation], Call]] = {
    "graph.matmul": _matmul,
    "graph.linear": _linear,
    "graph.attention": _attention,
    "graph.convolution": _convolution,
    "graph.max_pool": _max_pool,
    "graph.avg_pool": _avg_pool,
    "graph.adaptive_avg_pool": _adaptive_avg_pool,
    "graph.sort": _sort,
    "graph.topk": _topk,
    "graph.cumsum": _cumsum,
    "graph.argmax": _argmax,
    "graph.argmin": _argmax,
    "graph.pow": _pow,
}
