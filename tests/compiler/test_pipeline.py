"""The pipeline: from a graph to what can be emitted."""

from __future__ import annotations

from sidra.compiler.pipeline import lower, passes
from sidra.ir.parser import parse_module

TEXT = """
func @main(%x: f32[s0, 8], %w: f32[4, 8], %b: f32[4]) -> (f32[s0, 4]) {
  %0 = graph.linear %x, %w, %b : f32[s0, 4]
  %1 = graph.gelu %0 : f32[s0, 4]
  %2 = graph.exp %x : f32[s0, 8]
  return %1
}
"""


def test_names_are_those_of_the_files():
    assert [each.name for each in passes()] == [
        "eliminate-dead",
        "eliminate-common",
        "fuse-linear",
        "fuse-attention",
        "simplify-views",
        "lower-graph-to-tile",
        "lower-to-calls",
        "legalize-reductions",
        "fuse-kernels",
        "verify-lowered",
    ]


def test_lowers_and_tells_what_each_pass_did():
    module = parse_module(TEXT)
    statistics = lower(module)
    assert [op.name for op in module.functions["main"].body.operations] == [
        "tile.mvm",
        "tile.kernel",
        "return",
    ]
    assert statistics[0].counts == {"erased": 1}
