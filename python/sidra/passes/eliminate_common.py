"""Common subexpressions: what is computed twice is computed once."""

from __future__ import annotations

from sidra.ir.attributes import attribute_text
from sidra.ir.core import Block, Module, Operation, Value
from sidra.ir.pass_manager import Context, Pass, Statistics
from sidra.ir.registry import COMMUTATIVE, PURE, has_flag


class EliminateCommon(Pass):
    """Let an operation's users use an equal one before it.

    Before:  %0 = graph.add %x, %y        After:  %0 = graph.add %x, %y
             %1 = graph.add %y, %x                %2 = graph.mul %0, %0
             %2 = graph.mul %0, %1
    Equal are pure operations of one name, with the same attributes and operands; those of a
    commutative one in either order.
    Not handled: operations with regions, and external calls.
    Establishes: no two pure operations of a block are equal.
    """

    def run(self, module: Module, context: Context) -> Statistics:
        """Do it in every function."""
        merged = sum(_merge(function.body) for function in module.functions.values())
        return Statistics(counts={"merged": merged})


def _merge(block: Block) -> int:
    known: dict[tuple[object, ...], Operation] = {}
    number: dict[Value, int] = {}
    merged = 0
    for operation in block.operations:
        for value in operation.operands:
            number.setdefault(value, len(number))
        if not has_flag(operation, PURE) or operation.regions:
            continue
        key = _key(operation, number)
        earlier = known.setdefault(key, operation)
        if earlier is not operation:
            operation.replace_with(earlier.results)
            merged += 1
    return merged


def _key(operation: Operation, number: dict[Value, int]) -> tuple[object, ...]:
    operands = [number[value] for value in operation.operands]
    if has_flag(operation, COMMUTATIVE):
        operands.sort()
    attributes = tuple((name, attribute_text(v)) for name, v in operation.attributes.items())
    types = tuple(str(result.type) for result in operation.results)
    return (operation.name, tuple(operands), attributes, types)
