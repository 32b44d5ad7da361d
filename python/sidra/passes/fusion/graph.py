"""The function as a graph of units: groups of ops that become kernels, and single steps.

Views, small constants and fills belong to no unit: each group that needs one has its own copy of
the op, and what reads a view reads its source.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sidra.analysis.kernels import is_supported
from sidra.analysis.layout import VIEWS
from sidra.ir.attributes import Dense
from sidra.ir.core import Function, Operation, Value
from sidra.passes.fusion.copies import FILLS

MAX_INLINE_ELEMENTS = 16  # of a constant that every kernel has its own copy of


@dataclass(eq=False)
class Unit:
    """operations: a group's ops, or one step. before: the bits of the ops that must come first."""

    operations: list[Operation]
    is_group: bool
    bits: int
    before: int = 0
    inputs: set[Operation] = field(default_factory=set)


class FusionGraph:
    """Units in order, and which may merge without a cycle."""

    def __init__(self, function: Function, filling: set[Operation]) -> None:
        self.filling = filling
        self.position = {op: n for n, op in enumerate(function.body.operations)}
        self.unit_of: dict[Operation, Unit] = {}
        self.units: dict[Unit, None] = {}
        self.users: dict[Value, set[Operation]] = {}
        for operation, position in self.position.items():
            if not self.is_inline(operation):
                self._enter(operation, position)

    @property
    def groups(self) -> list[Unit]:
        """The units that become kernels."""
        return [unit for unit in self.units if unit.is_group]

    def is_inline(self, operation: Operation) -> bool:
        """Whether the op belongs to no unit."""
        if operation in self.filling:
            return False
        if operation.name in VIEWS or operation.name in FILLS or operation.name == "graph.resource":
            return True
        return operation.name == "graph.constant"

    def sources(self, value: Value) -> Iterator[Value]:
        """Yield what a value is a view of: an argument, a unit's result; nothing for a constant."""
        while value.operation is not None and self.is_inline(value.operation):
            if value.operation.name not in VIEWS:
                return
            value = value.operation.operands[0]
        yield value

    def producers(self, unit: Unit) -> list[Unit]:
        """Return the units that it reads from, the latest first."""
        found = {self.unit_of[op] for op in unit.inputs}
        return sorted(found, key=lambda u: -self.position[u.operations[-1]])

    def escapes(self, value: Value, inside: set[Operation]) -> bool:
        """Whether an op outside of `inside` reads the value."""
        return not self.users.get(value, set()) <= inside

    def may_merge(self, a: Unit, b: Unit) -> bool:
        """Whether no third unit lies between them."""
        return not (self._lies_between(a, b) or self._lies_between(b, a))

    def merge(self, a: Unit, b: Unit) -> Unit:
        """Make one group of two."""
        operations = sorted([*a.operations, *b.operations], key=self.position.__getitem__)
        bits = a.bits | b.bits
        before = (a.before | b.before) & ~bits
        inputs = (a.inputs | b.inputs) - set(operations)
        merged = Unit(operations, True, bits, before, inputs)
        self.unit_of.update(dict.fromkeys(operations, merged))
        del self.units[a], self.units[b]
        for unit in self.units:
            if unit.before & bits:
                unit.before |= before | bits
        self.units[merged] = None
        return merged

    def _lies_between(self, a: Unit, b: Unit) -> bool:
        return any(
            unit is not a and unit.before & a.bits for unit in {self.unit_of[op] for op in b.inputs}
        )

    def _enter(self, operation: Operation, position: int) -> None:
        unit = Unit([operation], self._is_computed(operation), 1 << position)
        for value in operation.operands:
            for source in self.sources(value):
                self.users.setdefault(source, set()).add(operation)
                if source.operation is not None:
                    unit.inputs.add(source.operation)
                    producer = self.unit_of[source.operation]
                    unit.before |= producer.before | producer.bits
        self.unit_of[operation] = unit
        self.units[unit] = None

    def _is_computed(self, operation: Operation) -> bool:
        return operation in self.filling or is_supported(operation)


def is_cloned(operation: Operation) -> bool:
    """Whether a kernel has its own copy of an inline op that is no view."""
    if operation.name == "graph.constant":
        value = operation.attributes["value"]
        return isinstance(value, Dense) and value.array.size <= MAX_INLINE_ELEMENTS
    return operation.name in FILLS
