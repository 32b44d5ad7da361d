"""Equal operations become one."""

from __future__ import annotations

import numpy as np

from sidra.ir.interpreter import interpret
from sidra.ir.parser import parse_module
from sidra.ir.pass_manager import PassManager
from sidra.passes.eliminate_common import EliminateCommon

TEXT = """
func @main(%x: f32[4], %y: f32[4]) -> (f32[4], f32[4], f32[4]) {
  %0 = graph.add %x, %y : f32[4]
  %1 = graph.add %y, %x : f32[4]
  %2 = graph.sub %x, %y : f32[4]
  %3 = graph.sub %y, %x : f32[4]
  %4 = graph.clamp %0 {min = 0.0} : f32[4]
  %5 = graph.clamp %1 {min = -0.0} : f32[4]
  %6 = graph.clamp %1 {min = 0.0} : f32[4]
  %7 = graph.add %4, %6 : f32[4]
  return %7, %5, %3
}
"""


def test_equal_ones_merge_and_others_do_not():
    module = parse_module(TEXT)
    arrays = [np.array([1, -2, 3, 0], np.float32), np.array([0.5, 1, -3, 0], np.float32)]
    before = interpret(module.functions["main"], arrays)
    (statistics,) = PassManager([EliminateCommon()]).run(module)
    assert statistics.counts == {"merged": 2}
    for a, b in zip(interpret(module.functions["main"], arrays), before, strict=True):
        assert np.array_equal(a, b)
