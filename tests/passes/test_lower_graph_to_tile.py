"""lower-graph-to-tile: what goes to crossbars and to the attention engine, and what stays."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sidra.ir.core import Module
from sidra.passes.lower_graph_to_tile import LowerGraphToTile

Lower = Callable[..., Module]

SIZES = {"s0": 3}

LINEAR = """func @main(%x: f32[s0, 8], %w: f32[8, 6], %b: f32[6]) -> (f32[s0, 6]) {
  %0 = graph.permute %w {dims = [1, 0]} : f32[6, 8]
  %1 = graph.linear %x, %0, %b : f32[s0, 6] loc("layer")
  %2 = graph.relu %1 : f32[s0, 6]
  return %2
}"""


def ops(module: Module) -> list[str]:
    return [op.name for op in module.walk()]


def test_a_weight_and_its_relu_are_one_product(lower: Lower) -> None:
    module = lower(LINEAR, LowerGraphToTile(), symbols=SIZES)
    assert ops(module) == ["graph.permute", "tile.mvm", "return"]
    mvm = next(op for op in module.walk() if op.name == "tile.mvm")
    assert mvm.attributes["activation"] == "relu"
    assert mvm.location.module == "layer"


def test_gradients_keep_their_products(lower: Lower) -> None:
    kept = ["graph.permute", "graph.linear", "graph.relu", "return"]
    assert ops(lower(LINEAR, LowerGraphToTile(gradient=True), symbols=SIZES)) == kept
    facts = {"gradient": True}
    assert ops(lower(LINEAR, LowerGraphToTile(), symbols=SIZES, facts=facts)) == kept
    module = lower(LINEAR, LowerGraphToTile(gradient=False), symbols=SIZES, facts=facts)
    assert "tile.mvm" in ops(module)


def test_a_relu_stays_where_the_sum_is_needed(lower: Lower) -> None:
    text = LINEAR.replace("return %2", "return %1")
    assert "graph.relu" not in ops(lower(text, LowerGraphToTile(), symbols=SIZES))
    text = LINEAR.replace("-> (f32[s0, 6])", "-> (f32[s0, 6], f32[s0, 6])")
    module = lower(text.replace("return %2", "return %1, %2"), LowerGraphToTile(), symbols=SIZES)
    assert ops(module)[1:3] == ["tile.mvm", "graph.relu"]


@pytest.mark.parametrize(
    ("type", "body"),
    [
        ("f32", "%0 = graph.exp %w : f32[6, 8]\n%1 = graph.linear %x, %0 : f32[s0, 6]"),
        ("f64", "%1 = graph.linear %x, %w : f64[s0, 6]"),
    ],
)
def test_other_products_stay(lower: Lower, type: str, body: str) -> None:
    text = f"""func @main(%x: {type}[s0, 8], %w: {type}[6, 8]) -> ({type}[s0, 6]) {{
      {body}
      return %1
    }}"""
    assert "graph.linear" in ops(lower(text, LowerGraphToTile(), symbols=SIZES))


def attention(rank: int, type: str, after: str, result: str) -> str:
    batch = "2, " * (rank - 3)
    q = f"{type}[{batch}4, s0, 8]"
    return f"""func @main(%q: {q}, %m: i1[s0, s0]) -> ({type}[{result}]) {{
      %0 = graph.attention %q, %q, %q, %m {{scale = 0.5, causal = true}} : {q}
      {after}
    }}"""


def test_attention_of_a_batch(lower: Lower) -> None:
    text = attention(4, "f32", "return %0", "2, 4, s0, 8")
    assert ops(lower(text, LowerGraphToTile(), symbols=SIZES)) == ["tile.attention", "return"]


def test_attention_without_a_batch(lower: Lower) -> None:
    text = attention(3, "f32", "return %0", "4, s0, 8")
    module = lower(text, LowerGraphToTile(), symbols=SIZES)
    assert ops(module)[-3:] == ["tile.attention", "graph.reshape", "return"]


@pytest.mark.parametrize(("rank", "type"), [(5, "f32"), (4, "f64")])
def test_attention_that_stays(lower: Lower, rank: int, type: str) -> None:
    batch = "2, " * (rank - 3)
    text = attention(rank, type, "return %0", f"{batch}4, s0, 8")
    assert ops(lower(text, LowerGraphToTile(), symbols=SIZES)) == ["graph.attention", "return"]


def test_heads_go_last_if_all_want_them_so(lower: Lower) -> None:
    turn = "%1 = graph.permute %0 {dims = [0, 2, 1, -1]} : f32[2, s0, 4, 8]\nreturn %1"
    module = lower(attention(4, "f32", turn, "2, s0, 4, 8"), LowerGraphToTile(), symbols=SIZES)
    assert ops(module) == ["tile.attention", "return"]
    text = attention(4, "f32", turn + ", %0", "2, s0, 4, 8], f32[2, 4, s0, 8")
    module = lower(text, LowerGraphToTile(), symbols=SIZES)
    assert ops(module) == ["tile.attention", "graph.permute", "return"]
