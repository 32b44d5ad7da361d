"""Pattern rewriting, greedy to a fixed point, and the removal of dead operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sidra.errors import PassError
from sidra.ir.attributes import Attribute
from sidra.ir.builder import Builder
from sidra.ir.core import Block, Function, Operation, Value
from sidra.ir.registry import PURE, has_flag
from sidra.ir.types import TensorType

MAX_ROUNDS = 100


class Rewriter(Builder):
    """A builder before the operation at hand, which remembers what it touched."""

    def __init__(self, operation: Operation, touched: dict[Operation, None]):
        if operation.parent is None:
            raise ValueError(f"{operation.name} is in no block")
        super().__init__(operation.parent, operation)
        self.location = operation.location
        self._touched = touched

    def insert(self, operation: Operation) -> Operation:
        """Insert it, and look at it in the next round."""
        self._touched[operation] = None
        return super().insert(operation)

    def replace(self, operation: Operation, *values: Value) -> None:
        """Let the users of `operation` use `values`, and erase it."""
        for result in operation.results:
            self._touched.update(dict.fromkeys(result.users))
        self._touch_operands(operation)
        operation.replace_with(values)

    def replace_by(
        self,
        operation: Operation,
        name: str,
        operands: Sequence[Value] = (),
        attributes: Mapping[str, Attribute] | None = None,
        result_types: Sequence[TensorType] | None = None,
    ) -> Operation:
        """Build an op in place of `operation`."""
        made = self.build(name, operands, attributes, result_types)
        self.replace(operation, *made.results)
        return made

    def erase(self, operation: Operation) -> None:
        """Erase an operation whose results nobody uses."""
        self._touch_operands(operation)
        operation.erase()

    def _touch_operands(self, operation: Operation) -> None:
        for value in operation.operands:
            if value.operation is not None:
                self._touched[value.operation] = None


class RewritePattern:
    """One rewrite. `names`: the ops that it looks at; empty means all."""

    names: tuple[str, ...] = ()

    def rewrite(self, operation: Operation, rewriter: Rewriter) -> bool:
        """Rewrite `operation` through `rewriter`; True if so, False if nothing was touched."""
        raise NotImplementedError


@dataclass(frozen=True)
class RewriteResult:
    """rounds: until nothing changed, the last included. rewrites: patterns that applied."""

    rounds: int
    rewrites: int

    @property
    def changed(self) -> bool:
        """Whether anything was rewritten."""
        return self.rewrites > 0


def rewrite(
    function: Function, patterns: Sequence[RewritePattern], max_rounds: int = MAX_ROUNDS
) -> RewriteResult:
    """Apply the patterns, the first that matches, until none does. Dead pure ops are erased.

    A round looks at the ops that the round before touched; the first looks at all. Raises PassError
    if there is still work after `max_rounds`.
    """
    worklist = dict.fromkeys(function.walk())
    rewrites = 0
    for number in range(1, max_rounds + 1):
        touched: dict[Operation, None] = {}
        for operation in worklist:
            if is_in(operation, function):
                rewrites += _apply(operation, patterns, touched)
        worklist = {op: None for op in touched if is_in(op, function)}
        if not worklist:
            return RewriteResult(number, rewrites)
    names = ", ".join(sorted({operation.name for operation in worklist})[:5])
    raise PassError(f"@{function.name} does not settle within {max_rounds} rounds, at {names}")


def is_in(operation: Operation, function: Function) -> bool:
    """Whether the operation is in the function, however deep."""
    owner: Operation | Function | None = operation
    while isinstance(owner, Operation):
        block: Block | None = owner.parent
        owner = block.parent if block is not None else None
    return owner is function


def is_dead(operation: Operation) -> bool:
    """Whether it is pure and nobody uses its results."""
    return has_flag(operation, PURE) and not any(result.uses for result in operation.results)


def eliminate_dead(function: Function) -> int:
    """Erase pure operations that nothing needs; returns how many."""
    worklist = list(function.walk())
    erased = 0
    while worklist:
        operation = worklist.pop()
        if not is_in(operation, function) or not is_dead(operation):
            continue
        worklist += [value.operation for value in operation.operands if value.operation]
        operation.erase()
        erased += 1
    return erased


def _apply(
    operation: Operation, patterns: Sequence[RewritePattern], touched: dict[Operation, None]
) -> int:
    rewriter = Rewriter(operation, touched)
    if is_dead(operation):
        rewriter.erase(operation)
        return 0
    for pattern in patterns:
        if pattern.names and operation.name not in pattern.names:
            continue
        if pattern.rewrite(operation, rewriter):
            if operation.parent is not None:
                touched[operation] = None
            return 1
    return 0
