"""A kernel that could be: its ops, operands and results, whether it is one, and whether it pays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sidra.analysis.kernels import (
    FREE,
    GATHERS,
    MOVES,
    REDUCTIONS,
    ROWS,
    Kernel,
    Unfit,
    analyse_operations,
)
from sidra.analysis.layout import VIEWS, source_of
from sidra.analysis.work import RATES
from sidra.ir.core import Operation, Value
from sidra.passes.fusion.graph import FusionGraph, is_cloned

MAX_OPERATIONS = 64
MAX_BUFFERS = 24  # operands and results
MAX_EMITTED = 4 * MAX_OPERATIONS  # ops in the loops, those counted again that are computed again


@dataclass
class Candidate:
    """operations: in order, with the views and small constants that go into the region."""

    operations: list[Operation]
    operands: list[Value]
    results: list[Value]


def candidate(graph: FusionGraph, computed: Iterable[Operation]) -> Candidate:
    """Return the kernel of these ops of units."""
    inside = set(computed)
    members = dict.fromkeys(inside)
    operands: dict[Value, None] = {}
    pending = sorted(inside, key=graph.position.__getitem__, reverse=True)
    while pending:
        for value in pending.pop().operands:
            if value.operation in members:
                continue
            chain = _inside_chain(graph, value, inside)
            if chain is None:
                operands[value] = None
                continue
            pending += [operation for operation in chain if operation not in members]
            members.update(dict.fromkeys(chain))
    ordered = sorted(members, key=graph.position.__getitem__)
    results = [
        value
        for operation in ordered
        if operation in inside
        for value in operation.results
        if graph.escapes(value, inside)
    ]
    return Candidate(ordered, list(operands), results)


def _inside_chain(
    graph: FusionGraph, value: Value, inside: set[Operation]
) -> list[Operation] | None:
    """Return the inline ops that lead to the value from inside; None if it comes from outside."""
    chain = []
    operation = value.operation
    while operation is not None and operation not in inside and graph.is_inline(operation):
        chain.append(operation)
        if operation.name not in VIEWS:
            return chain if is_cloned(operation) else None
        operation = operation.operands[0].operation
    return chain if operation in inside else None


def kernel_of(found: Candidate) -> Kernel | None:
    """Return how one loop nest computes it, None if none does or if it is too large."""
    buffers = len(found.operands) + len(found.results)
    if len(found.operations) > MAX_OPERATIONS or buffers > MAX_BUFFERS:
        return None
    try:
        return analyse_operations(found.operations, found.results)
    except Unfit:
        return None


def pays(found: Candidate, kernel: Kernel) -> bool:
    """Whether nothing expensive is computed more often than its elements are."""
    return (
        not _repeats_expensive_work(found, kernel)
        and not _moves_what_is_stored(found)
        and _emitted(found) <= MAX_EMITTED
    )


def _repeats_expensive_work(found: Candidate, kernel: Kernel) -> bool:
    """Whether a function with a table has fewer elements than it would be computed for."""
    space = kernel.space
    once = {space.elements} | ({space.outer_elements} if space.kind == ROWS else set())
    return any(
        kernel.roles[operation.result] == FREE and operation.result.type.elements not in once
        for operation in found.operations
        if RATES.get(operation.name, (0, 0))[1] > 0 and operation.name not in REDUCTIONS
    )


def _moves_what_is_stored(found: Candidate) -> bool:
    """Whether elements are computed again elsewhere that a buffer holds anyway."""
    stored = set(found.results)
    moved = {
        operation.operands[0]
        for operation in found.operations
        if operation.name in MOVES | GATHERS and operation.operands
    }
    moved |= {
        value
        for operation in found.operations
        if operation.name == "graph.concat"
        for value in operation.operands
    }
    return any(source_of(value) in stored for value in moved)


def _emitted(found: Candidate) -> int:
    """Return how many ops the loops hold, when each move computes its operand at other indices."""
    inside = set(found.operations)
    times: dict[Operation, int] = {}
    for operation in reversed(found.operations):
        users = [user for value in operation.results for user in value.users if user in inside]
        moves = [user for user in users if user.name in MOVES | GATHERS]
        direct = [times[user] for user in users if user not in moves]
        moved = sum(min(times[user], MAX_EMITTED) for user in moves)
        times[operation] = max([*direct, *([0] if moves else [1])]) + moved
    return sum(times.values())
