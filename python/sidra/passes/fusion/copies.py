"""Which views need a copy: those that no strides describe, and those that a step cannot read.

A copy is a `graph.reshape` to the shape that its operand has already; fusion makes a kernel of it,
or a part of one. A reshape that no strides allow becomes a copy in the shape before, so that loops
run over the dims that have strides, and a free reshape.
"""

from __future__ import annotations

from sidra.analysis.layout import Layout, dense, view_of
from sidra.analysis.lowered import is_readable, is_step
from sidra.ir.builder import Builder
from sidra.ir.core import Function, Operation, Value

FILLS = frozenset({"graph.full", "graph.iota", "graph.dimension"})


def insert_copies(function: Function) -> set[Operation]:
    """Insert the copies. Afterwards each view that a step reads has strides that it can use.

    Returns what fills a buffer though it looks free: the copies, and fills that a step reads.
    """
    copies = _Copies(function)
    for operation in function.body.operations:
        copies.visit(operation)
    return copies.filling


class _Copies:
    """One way through a function, in order, with the layouts of what came before."""

    def __init__(self, function: Function) -> None:
        self.layouts: dict[Value, Layout] = {value: dense(value) for value in function.arguments}
        self.copied: dict[Value, Value] = {}
        self.filling: set[Operation] = set()

    def visit(self, operation: Operation) -> None:
        if is_step(operation):
            for index, value in enumerate(operation.operands):
                self.serve(operation, index, value)
        view = view_of(operation, self.layouts)
        if view is None and operation.name == "graph.reshape":
            operation.set_operand(0, self.copy(operation.operands[0], operation))
            view = view_of(operation, self.layouts)
        for result in operation.results:
            self.layouts[result] = view or dense(result)

    def serve(self, operation: Operation, index: int, value: Value) -> None:
        """Let a step read its operand, or a copy of it."""
        layout = self.layouts[value]
        maker = layout.base.operation
        if maker is not None and maker.name in FILLS:
            self.filling.add(maker)
        if not is_readable(operation, index, value, layout):
            operation.set_operand(index, self.copy(value, operation))

    def copy(self, value: Value, before: Operation) -> Value:
        """Return a copy made before `before`, or earlier.

        What a function returns is copied as soon as it is there, so that its source can go.
        """
        if value not in self.copied:
            maker = value.operation
            if before.name == "return" and maker is not None and maker.next is not None:
                before = maker.next
            builder = Builder.before_operation(before)
            made = builder.build("graph.reshape", [value], {"shape": value.type.shape})
            self.filling.add(made)
            self.copied[value] = made.result
            self.layouts[made.result] = dense(made.result)
        return self.copied[value]
