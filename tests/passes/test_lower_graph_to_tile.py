"""Products become steps: of crossbars, of the attention engine, or calls."""

from __future__ import annotations

import numpy as np

from sidra.ir.interpreter import interpret
from sidra.ir.parser import parse_module
from sidra.ir.pass_manager import Context, PassManager
from sidra.passes.lower_graph_to_tile import GRADIENT, LowerGraphToTile

TEXT = """
func @main(%x: f32[2, 8], %w: f32[4, 8], %b: f32[4], %q: f32[1, 2, 3, 8])
    -> (f32[2, 4], f32[2, 2], f32[1, 3, 2, 8], f32[2, 2]) {
  %0 = graph.linear %x, %w, %b : f32[2, 4]
  %1 = graph.linear %x, %x : f32[2, 2]
  %2 = graph.neg %x : f32[2, 8]
  %3 = graph.linear %x, %2 : f32[2, 2]
  %4 = graph.attention %q, %q, %q {causal = true} : f32[1, 2, 3, 8]
  %5 = graph.permute %4 {dims = [0, 2, 1, 3]} : f32[1, 3, 2, 8]
  %6 = graph.permute %0 {dims = [1, 0]} : f32[4, 2]
  %7 = graph.matmul %0, %6 : f32[2, 2]
  return %0, %3, %5, %7
}
"""


def lowered(gradient=False):
    module = parse_module(TEXT)
    manager = PassManager([LowerGraphToTile()])
    (statistics,) = manager.run(module, Context(facts={GRADIENT: gradient}))
    return module, statistics.counts


def operators(module):
    return [op.attributes["operator"] for op in module.walk() if op.name == "graph.external"]


def test_weights_are_for_crossbars_and_others_are_calls():
    module, counts = lowered()
    assert counts == {"mvm": 2, "attention": 1, "calls": 2}
    assert operators(module) == ["aten::linear", "aten::matmul"]


def test_gradients_are_exact_calls():
    module, counts = lowered(gradient=True)
    assert counts["mvm"] == 0
    assert operators(module).count("aten::linear") == 3


def test_attention_gives_its_heads_last_where_that_is_asked():
    module, _ = lowered()
    (attention,) = [op for op in module.walk() if op.name == "tile.attention"]
    assert attention.attributes["heads_last"] is True
    assert str(attention.result.type) == "f32[1, 3, 2, 8]"


def test_the_meaning_is_kept():
    random = np.random.default_rng(0)
    shapes = ((2, 8), (4, 8), (4,), (1, 2, 3, 8))
    arrays = [random.standard_normal(shape).astype(np.float32) for shape in shapes]

    def call(operation, operands):
        if operation.attributes["operator"] == "aten::matmul":
            return [operands[0] @ operands[1]]
        return [operands[0] @ operands[1].T]

    before = interpret(parse_module(TEXT).functions["main"], arrays)
    after = interpret(lowered()[0].functions["main"], arrays, external=call)
    for a, b in zip(after, before, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_calls_have_an_argument_for_each_of_the_schema():
    import torch

    module, _ = lowered(gradient=True)
    for op in module.walk():
        if op.name == "graph.external":
            name = op.attributes["operator"].removeprefix("aten::")
            schema = getattr(torch.ops.aten, name).default._schema
            assert len(op.attributes["arguments"]) == len(schema.arguments)
