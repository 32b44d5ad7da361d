"""Writes groups as kernels: the function's ops in an order in which each finds its operands."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from sidra.ir.builder import Builder
from sidra.ir.core import UNKNOWN, Block, Function, Location, Operation, Value
from sidra.passes.fusion.candidate import Candidate, candidate
from sidra.passes.fusion.graph import FusionGraph, Unit

MAX_NAME = 48  # characters, before the "_etc" of a longer name
SILENT = frozenset({"reshape", "broadcast", "permute", "constant", "full", "iota", "convert"})


def build_kernels(function: Function, graph: FusionGraph) -> int:
    """Replace each group by a `tile.kernel`; returns how many there are."""
    order = _ordered(function, graph)
    for operation in list(function.body.operations):
        operation.remove()
    mapping: dict[Value, Value] = {value: value for value in function.arguments}
    gone: list[Operation] = []
    kernels = 0
    for entry in order:
        if isinstance(entry, Unit) and entry.is_group:
            _append_kernel(function.body, candidate(graph, entry.operations), mapping)
            gone += entry.operations
            kernels += 1
            continue
        operation = entry.operations[0] if isinstance(entry, Unit) else entry
        if all(value in mapping for value in operation.operands):
            operation.operands = [mapping[value] for value in operation.operands]
            function.body.append(operation)
            mapping.update((value, value) for value in operation.results)
        else:  # a view of what no buffer holds
            gone.append(operation)
    for operation in gone:
        operation.operands = ()
    return kernels


def kernel_name(operations: Sequence[Operation]) -> str:
    """Return a name made of the ops, such as `add_layer_norm`."""
    words = [operation.name.rpartition(".")[2] for operation in operations]
    spoken = list(dict.fromkeys(word for word in words if word not in SILENT))
    if not spoken:
        fills = ("convert", "full", "iota")
        spoken = list(dict.fromkeys(word for word in words if word in fills))
    name = "_".join(spoken) or "copy"
    return name if len(name) <= MAX_NAME else f"{name[:MAX_NAME].rpartition('_')[0]}_etc"


def _ordered(function: Function, graph: FusionGraph) -> list[Unit | Operation]:
    """Units and inline ops, operands first, otherwise as they were."""
    entries = list(dict.fromkeys(graph.unit_of.get(op, op) for op in function.body.operations))
    entry_of = {op: graph.unit_of.get(op, op) for op in function.body.operations}
    followers: dict[Unit | Operation, set[Unit | Operation]] = {entry: set() for entry in entries}
    waits = dict.fromkeys(entries, 0)
    for entry in entries:
        for before in _read_from(entry, entry_of, graph):
            if entry not in followers[before]:
                followers[before].add(entry)
                waits[entry] += 1
    number = {entry: _last_position(entry, graph) for entry in entries}
    ready = [(number[entry], entry) for entry in entries if not waits[entry]]
    return _drain(ready, followers, waits, number)


def _drain(
    ready: list[tuple[int, Unit | Operation]],
    followers: dict[Unit | Operation, set[Unit | Operation]],
    waits: dict[Unit | Operation, int],
    number: dict[Unit | Operation, int],
) -> list[Unit | Operation]:
    heapq.heapify(ready)
    order = []
    while ready:
        _, entry = heapq.heappop(ready)
        order.append(entry)
        for follower in followers[entry]:
            waits[follower] -= 1
            if not waits[follower]:
                heapq.heappush(ready, (number[follower], follower))
    return order


def _last_position(entry: Unit | Operation, graph: FusionGraph) -> int:
    last = entry.operations[-1] if isinstance(entry, Unit) else entry
    return graph.position[last]


def _read_from(
    entry: Unit | Operation, entry_of: dict[Operation, Unit | Operation], graph: FusionGraph
) -> set[Unit | Operation]:
    if isinstance(entry, Unit) and entry.is_group:
        values: Sequence[Value] = candidate(graph, entry.operations).operands
    else:
        values = (entry.operations[0] if isinstance(entry, Unit) else entry).operands
    return {entry_of[value.operation] for value in values if value.operation is not None}


def _append_kernel(block: Block, found: Candidate, mapping: dict[Value, Value]) -> None:
    region = Block([v.type for v in found.operands], [v.name for v in found.operands])
    inner = dict(zip(found.operands, region.arguments, strict=True))
    for operation in found.operations:
        region.append(operation.clone(inner))
    Builder(region).build("yield", [inner[value] for value in found.results], {}, ())
    builder = Builder(block)
    builder.location = _location(found.operations)
    kernel = builder.build(
        "tile.kernel",
        [mapping[value] for value in found.operands],
        {"name": kernel_name(found.operations)},
        [value.type for value in found.results],
        [region],
    )
    for old, new in zip(found.results, kernel.results, strict=True):
        new.name = old.name
        mapping[old] = new


def _location(operations: Sequence[Operation]) -> Location:
    """Return the location of the last op that has one."""
    known = [op.location for op in operations if op.location != UNKNOWN]
    return known[-1] if known else UNKNOWN
