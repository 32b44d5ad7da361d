"""What nothing needs goes; what may do more than compute stays."""

from __future__ import annotations

from sidra.ir.parser import parse_module
from sidra.ir.pass_manager import PassManager
from sidra.passes.eliminate_dead import EliminateDead

TEXT = """
func @main(%x: f32[4]) -> (f32[4]) {
  %0 = graph.exp %x : f32[4]
  %1 = graph.tanh %0 : f32[4]
  %2 = graph.external %x {operator = "aten::neg", arguments = ["$0"]} : f32[4]
  %3 = graph.neg %x : f32[4]
  return %3
}
"""


def test_chains_go_and_calls_stay():
    module = parse_module(TEXT)
    (statistics,) = PassManager([EliminateDead()]).run(module)
    names = [op.name for op in module.walk()]
    assert names == ["graph.external", "graph.neg", "return"]
    assert statistics.counts == {"erased": 2}
    assert statistics.name == "eliminate-dead"
