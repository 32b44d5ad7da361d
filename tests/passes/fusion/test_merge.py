"""Greedy merging."""

from __future__ import annotations

from sidra.ir.parser import parse_module
from sidra.passes.fusion.graph import FusionGraph
from sidra.passes.fusion.merge import merge_groups, merge_producers, merge_siblings


def graph(text: str) -> FusionGraph:
    return FusionGraph(parse_module(text).functions["main"], set())


def groups(found: FusionGraph) -> list[list[str]]:
    return [[op.name[6:] for op in unit.operations] for unit in found.groups]


SIBLINGS = """func @main(%x: f32[s0, 8]) -> (f32[s0, 8], f32[s0, 8], f32[8]) {
  %0 = graph.exp %x : f32[s0, 8]
  %1 = graph.sin %x : f32[s0, 8]
  %2 = graph.sum %x {dims = [0]} : f32[8]
  return %0, %1, %2
}"""


def test_siblings_merge_over_one_space() -> None:
    found = graph(SIBLINGS)
    assert not merge_producers(found)
    assert merge_siblings(found)
    assert sorted(groups(found)) == [["exp", "sin"], ["sum"]]


def test_groups_that_read_one_number_stay_apart() -> None:
    found = graph("""func @main(%x: f32[8], %y: f32[8], %c: f32[]) -> (f32[8], f32[8]) {
      %0 = graph.mul %x, %c : f32[8]
      %1 = graph.mul %y, %c : f32[8]
      return %0, %1
    }""")
    merge_groups(found)
    assert groups(found) == [["mul"], ["mul"]]


def test_a_later_use_lets_an_earlier_merge_happen() -> None:
    found = graph("""func @main(%x: f32[4], %y: f32[s0, 4]) -> (f32[s0, 4]) {
      %0 = graph.neg %x : f32[4]
      %1 = graph.mul %y, %0 : f32[s0, 4]
      %2 = graph.add %1, %0 : f32[s0, 4]
      return %2
    }""")
    merge_groups(found)
    assert groups(found) == [["neg", "mul", "add"]]
