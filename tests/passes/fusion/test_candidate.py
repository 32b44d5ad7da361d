"""Kernels that could be: what goes in, what comes out, whether they pay."""

from __future__ import annotations

import pytest

from sidra.ir.core import Operation
from sidra.ir.parser import parse_module
from sidra.passes.fusion.candidate import (
    MAX_OPERATIONS,
    Candidate,
    candidate,
    kernel_of,
    pays,
)
from sidra.passes.fusion.graph import FusionGraph


def whole(text: str, *left_out: str) -> Candidate:
    """Return all computed ops of @main but those of some names as one kernel."""
    function = parse_module(text).functions["main"]
    graph = FusionGraph(function, set())
    inside = [op for unit in graph.groups for op in unit.operations if op.name not in left_out]
    return candidate(graph, inside)


def names(operations: list[Operation]) -> list[str]:
    return [operation.name for operation in operations]


def test_views_and_constants_come_along() -> None:
    found = whole("""func @main(%x: f32[s0, 8], %y: f32[8, s0]) -> (f32[8*s0]) {
      %c = graph.constant {value = dense<f32[]: [2.0]>} : f32[]
      %0 = graph.permute %y {dims = [1, 0]} : f32[s0, 8]
      %1 = graph.mul %x, %c : f32[s0, 8]
      %2 = graph.add %1, %0 : f32[s0, 8]
      %3 = graph.reshape %2 {shape = [8*s0]} : f32[8*s0]
      %4 = graph.exp %3 : f32[8*s0]
      return %4
    }""")
    assert names(found.operations) == [
        "graph.constant",
        "graph.mul",
        "graph.add",
        "graph.reshape",
        "graph.exp",
    ]
    assert [value.type.shape for value in found.operands][1] == found.operands[0].type.shape
    assert names([value.operation for value in found.operands[1:]]) == ["graph.permute"]
    assert len(found.results) == 1


def test_what_leaves_is_a_result() -> None:
    found = whole(
        """func @main(%x: f32[8]) -> (f32[8], f32[2, 4]) {
      %0 = graph.exp %x : f32[8]
      %1 = graph.neg %0 : f32[8]
      %2 = graph.sin %0 : f32[8]
      %3 = graph.reshape %1 {shape = [2, 4]} : f32[2, 4]
      return %2, %3
    }""",
        "graph.sin",
    )
    assert names([value.operation for value in found.results]) == ["graph.exp", "graph.neg"]


def test_a_kernel_has_bounds() -> None:
    lines = [f"%{n + 1} = graph.neg %{n} : f32[8]" for n in range(MAX_OPERATIONS + 1)]
    text = "func @main(%0: f32[8]) -> (f32[8]) {\n" + "\n".join(lines)
    assert kernel_of(whole(text + f"\nreturn %{len(lines)}\n}}")) is None
    assert kernel_of(whole(text + f"\nreturn %{len(lines)}\n}}", "graph.neg")) is None


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("%0 = graph.neg %y : f32[8]\n%1 = graph.add %x, %0 : f32[s0, 8]\nreturn %1", True),
        ("%0 = graph.exp %y : f32[8]\n%1 = graph.add %x, %0 : f32[s0, 8]\nreturn %1", False),
        (
            "%0 = graph.neg %x : f32[s0, 8]\n%1 = graph.flip %0 {dims = [1]} : f32[s0, 8]\n"
            "return %1",
            True,
        ),
        (
            "%0 = graph.neg %x : f32[s0, 8]\n%1 = graph.flip %0 {dims = [1]} : f32[s0, 8]\n"
            "%2 = graph.add %0, %1 : f32[s0, 8]\nreturn %2",
            True,
        ),
    ],
)
def test_nothing_expensive_is_repeated(body: str, expected: bool) -> None:
    found = whole(f"func @main(%x: f32[s0, 8], %y: f32[8]) -> (f32[s0, 8]) {{\n{body}\n}}")
    kernel = kernel_of(found)
    assert kernel is not None
    assert pays(found, kernel) is expected


def test_what_is_stored_is_not_computed_elsewhere() -> None:
    found = whole("""func @main(%x: f32[8]) -> (f32[8], f32[8]) {
      %0 = graph.neg %x : f32[8]
      %1 = graph.flip %0 {dims = [0]} : f32[8]
      return %0, %1
    }""")
    kernel = kernel_of(found)
    assert kernel is not None
    assert not pays(found, kernel)


def test_shifts_of_shifts_are_bounded() -> None:
    lines = []
    for n in range(12):
        lines.append(f"%f{n} = graph.flip %{n} {{dims = [0]}} : f32[8]")
        lines.append(f"%{n + 1} = graph.add %{n}, %f{n} : f32[8]")
    text = "func @main(%0: f32[8]) -> (f32[8]) {\n" + "\n".join(lines) + "\nreturn %12\n}"
    found = whole(text)
    kernel = kernel_of(found)
    assert kernel is not None
    assert not pays(found, kernel)
