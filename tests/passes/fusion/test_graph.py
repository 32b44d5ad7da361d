"""Units, what they read, and merging without cycles."""

from __future__ import annotations

from sidra.ir.parser import parse_module
from sidra.passes.fusion.graph import FusionGraph, is_cloned

TEXT = """func @main(%x: f32[8], %w: f32[8, 8]) -> (f32[8]) {
  %c = graph.constant {value = dense<f32[]: [2.0]>} : f32[]
  %0 = graph.mul %x, %c : f32[8]
  %1 = graph.reshape %0 {shape = [1, 8]} : f32[1, 8]
  %2 = tile.mvm %1, %w : f32[1, 8]
  %3 = graph.add %2, %1 : f32[1, 8]
  %4 = graph.exp %3 : f32[1, 8]
  %5 = graph.reshape %4 {shape = [8]} : f32[8]
  return %5
}"""


def graph() -> FusionGraph:
    return FusionGraph(parse_module(TEXT).functions["main"], set())


def test_views_and_constants_are_in_no_unit() -> None:
    names = [[op.name for op in unit.operations] for unit in graph().units]
    assert names == [["graph.mul"], ["tile.mvm"], ["graph.add"], ["graph.exp"], ["return"]]
    assert [unit.is_group for unit in graph().units] == [True, False, True, True, False]


def test_a_unit_reads_through_views() -> None:
    found = graph()
    mul, mvm, add, exp, _ = found.units
    assert found.producers(add) == [mvm, mul]
    assert found.producers(exp) == [add]
    assert found.escapes(mul.operations[0].result, {add.operations[0]})
    assert not found.escapes(add.operations[0].result, {exp.operations[0]})


def test_a_step_between_keeps_groups_apart() -> None:
    found = graph()
    mul, _, add, exp, last = found.units
    assert not found.may_merge(mul, add)
    assert not found.may_merge(mul, exp)
    assert found.may_merge(add, exp)
    merged = found.merge(add, exp)
    assert [op.name for op in merged.operations] == ["graph.add", "graph.exp"]
    assert not found.may_merge(mul, merged)
    assert last.before & merged.bits == merged.bits
    assert found.groups == [mul, merged]


def test_small_constants_are_cloned() -> None:
    module = parse_module("""module {
      resource @r : f32[3]
      func @main() -> () {
        %0 = graph.constant {value = dense<f32[2]: [1.0, 2.0]>} : f32[2]
        %1 = graph.iota {size = s0} : i64[s0]
        %2 = graph.resource {name = @r} : f32[3]
        return
      }
    }""")
    small, iota, resource, _ = module.functions["main"].body.operations
    assert [is_cloned(op) for op in (small, iota, resource)] == [True, True, False]
