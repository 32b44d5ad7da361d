"""Greedy merging: each group with what it reads from, then groups that read the same."""

from __future__ import annotations

from itertools import pairwise

from sidra.ir.core import Value
from sidra.passes.fusion.candidate import candidate, kernel_of, pays
from sidra.passes.fusion.graph import FusionGraph, Unit

MAX_SWEEPS = 4


def merge_groups(graph: FusionGraph) -> None:
    """Merge while a kernel comes of it that pays."""
    for _ in range(MAX_SWEEPS):
        merged = merge_producers(graph)
        merged = merge_siblings(graph) or merged
        if not merged:
            return


def merge_producers(graph: FusionGraph) -> bool:
    """Merge each group with groups that it reads from; whether any did."""
    count = len(graph.units)
    for operation in list(graph.position):
        unit = graph.unit_of.get(operation)
        if unit is None or not unit.is_group:
            continue
        for producer in graph.producers(unit):
            current = graph.unit_of[operation]
            if producer in graph.units and producer.is_group and producer is not current:
                _try(graph, current, producer)
    return len(graph.units) < count


def merge_siblings(graph: FusionGraph) -> bool:
    """Merge groups over one space that read one value; whether any did."""
    count = len(graph.units)
    readers: dict[tuple[Value, str], list[Unit]] = {}
    for unit in graph.groups:
        found = candidate(graph, unit.operations)
        kernel = kernel_of(found)
        if kernel is None:
            continue
        space = kernel.space
        key = f"{space.kind} {space.outer_elements} {space.inner_elements}"
        for value in dict.fromkeys(s for v in found.operands for s in graph.sources(v)):
            if value.type.elements != 1:
                readers.setdefault((value, key), []).append(unit)
    for units in readers.values():
        for a, b in pairwise(units):
            if a in graph.units and b in graph.units:
                _try(graph, a, b)
    return len(graph.units) < count


def _try(graph: FusionGraph, a: Unit, b: Unit) -> None:
    if not graph.may_merge(a, b):
        return
    found = candidate(graph, [*a.operations, *b.operations])
    kernel = kernel_of(found)
    if kernel is not None and pays(found, kernel):
        graph.merge(a, b)
