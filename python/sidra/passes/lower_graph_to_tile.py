"""From tensor operators to what a step of the executable is: products and calls."""

from __future__ import annotations

from typing import Any

from sidra.ir.builder import Builder
from sidra.ir.core import Module, Operation, Value
from sidra.ir.pass_manager import Context, Pass, Statistics
from sidra.ir.types import f32

GRADIENT = "gradient"  # a fact: the graph is part of a backward, whose products are exact


class LowerGraphToTile(Pass):
    """Make products steps: of the crossbars, of the attention engine, or calls of PyTorch.

    Before:  %y = graph.linear %x, %w, %b       %z = graph.matmul %y, %y
    After:   %y = tile.mvm %x, %w, %b           %z = graph.external %y, %y
                                                    {operator = "aten::matmul", ...}

    A linear layer is for the crossbars when its weight is an argument, or an argument's transpose
    or reshape; in a graph of gradients (the fact `gradient`) it is an exact call. Attention is the
    engine's in float32 with four dims.
    Not handled: everything that fuse-kernels makes loops of.
    Establishes: no graph.linear, graph.matmul or graph.attention is left.
    """

    def run(self, module: Module, context: Context) -> Statistics:
        """Lower every function."""
        gradient = bool(context.facts.get(GRADIENT))
        counts = {"mvm": 0, "attention": 0, "calls": 0}
        for function in module.functions.values():
            for operation in list(function.walk()):
                if operation.name == "graph.linear":
                    counts["calls" if _linear(operation, gradient) else "mvm"] += 1
                elif operation.name == "graph.matmul":
                    _call(operation, "aten::matmul", ("$0", "$1"))
                    counts["calls"] += 1
                elif operation.name == "graph.attention":
                    counts["calls" if _attention(operation) else "attention"] += 1
        return Statistics(counts=counts)


def is_weight(value: Value) -> bool:
    """Whether crossbars may hold it from one call to the next."""
    while value.operation is not None and value.operation.name in (
        "graph.permute",
        "graph.reshape",
    ):
        value = value.operation.operands[0]
    operation = value.operation
    return operation is None or operation.name == "graph.resource"


def _linear(operation: Operation, gradient: bool) -> bool:
    """Lower one linear layer; whether it became a call."""
    weight = operation.operands[1]
    if gradient or not is_weight(weight) or operation.operands[0].type.dtype is not f32:
        arguments = tuple(f"${i}" for i in range(len(operation.operands)))
        _call(operation, "aten::linear", (*arguments, *("$none",) * (3 - len(arguments))))
        return True
    _replace(operation, "tile.mvm", {})
    return False


def _attention(operation: Operation) -> bool:
    """Lower one attention; whether it became a call."""
    scale, causal = operation.attributes["scale"], operation.attributes["causal"]
    q, k = operation.operands[:2]
    if all(v.type.dtype is f32 for v in operation.operands[:3]) and q.type.rank == 4:
        _replace_attention(operation, {"scale": scale, "causal": causal})
        return False
    mask = "$3" if len(operation.operands) > 3 else "$none"
    grouped = q.type.shape[-3] != k.type.shape[-3]
    number = "$none" if scale is None else scale
    _call(
        operation,
        "aten::scaled_dot_product_attention",
        ("$0", "$1", "$2", mask, 0.0, causal, number, grouped),
    )
    return True


def _replace_attention(operation: Operation, attributes: dict[str, object]) -> None:
    """Let the engine give the heads last where that is all that is asked of it."""
    users = operation.result.users
    swaps = [user for user in users if user.attributes.get("dims") == (0, 2, 1, 3)]
    if len(users) != 1 or swaps != list(users) or users[0].name != "graph.permute":
        _replace(operation, "tile.attention", attributes)
        return
    builder = Builder.before_operation(operation)
    given = {**attributes, "heads_last": True}
    made = builder.build("tile.attention", operation.operands, given)  # type: ignore[arg-type]
    users[0].replace_with(made.results)
    operation.erase()


def _call(operation: Operation, operator: str, arguments: tuple[object, ...]) -> None:
    given: Any = {"operator": operator, "arguments": arguments}
    types = [result.type for result in operation.results]
    builder = Builder.before_operation(operation)
    made = builder.build("graph.external", operation.operands, given, types)
    operation.replace_with(made.results)


def _replace(operation: Operation, name: str, attributes: dict[str, object]) -> None:
    builder = Builder.before_operation(operation)
    made = builder.build(name, operation.operands, attributes)  # type: ignore[arg-type]
    operation.replace_with(made.results)
