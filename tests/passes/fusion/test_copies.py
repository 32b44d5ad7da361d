"""Which views are copied before fusion."""

from __future__ import annotations

import pytest

from sidra.ir.core import Function
from sidra.ir.parser import parse_module
from sidra.passes.fusion.copies import insert_copies


def copied(text: str) -> tuple[Function, list[str]]:
    function = parse_module(text).functions["main"]
    made = insert_copies(function)
    return function, [op.name for op in function.body.operations if op in made]


def test_a_reshape_without_strides_is_copied_in_the_shape_before() -> None:
    function, made = copied("""func @main(%x: f32[2, s0, 4]) -> (f32[s0, 8]) {
      %0 = graph.permute %x {dims = [1, 0, 2]} : f32[s0, 2, 4]
      %1 = graph.reshape %0 {shape = [s0, 8]} : f32[s0, 8]
      return %1
    }""")
    assert made == ["graph.reshape"]
    permuted, copy, _, _ = function.body.operations
    assert copy.operands == permuted.results
    assert copy.result.type == permuted.result.type


def test_one_copy_serves_all() -> None:
    _, made = copied("""func @main(%x: f32[4, s0], %w: f32[3, 4]) -> (f32[s0, 3], f32[s0, 3]) {
      %0 = graph.permute %x {dims = [1, 0]} : f32[s0, 4]
      %1 = tile.mvm %0, %w : f32[s0, 3]
      %2 = tile.mvm %0, %w : f32[s0, 3]
      return %1, %2
    }""")
    assert made == ["graph.reshape"]


@pytest.mark.parametrize(
    ("arguments", "body", "made"),
    [
        ("%x: f32[8], %w: f32[8, 8]", "%0 = graph.full {shape = [8], value = 1.0} : f32[8]", 1),
        ("%y: f32[8], %w: f32[8, 8]", "%0 = graph.relu %y : f32[8]", 0),
        (
            "%y: f32[9], %w: f32[8, 8]",
            "%0 = graph.slice %y {start = [1], stop = [9], step = [1]} : f32[8]",
            0,
        ),
        ("%y: f32[1], %w: f32[8, 8]", "%0 = graph.broadcast %y {shape = [8]} : f32[8]", 1),
    ],
)
def test_a_product_reads_rows(arguments: str, body: str, made: int) -> None:
    _, found = copied(f"""func @main({arguments}) -> (f32[8]) {{
      {body}
      %1 = tile.mvm %0, %w : f32[8]
      return %1
    }}""")
    assert len(found) == made


@pytest.mark.parametrize(
    ("x", "bias", "made"),
    [
        ("%x", "graph.reshape %b {shape = [8]} : f32[8]", 0),
        ("%x", "graph.broadcast %c {shape = [8]} : f32[8]", 1),
        ("%x", "graph.slice %d {start = [0], stop = [16], step = [2]} : f32[8]", 1),
        ("%r", "graph.reshape %b {shape = [8]} : f32[8]", 1),
    ],
)
def test_rows_lie_apart_and_a_bias_in_one_piece(x: str, bias: str, made: int) -> None:
    _, found = copied(f"""func @main(%x: f32[3, 8], %w: f32[8, 8], %b: f32[1, 8], %c: f32[1],
                                     %d: f32[16]) -> (f32[3, 8]) {{
      %r = graph.broadcast %b {{shape = [3, 8]}} : f32[3, 8]
      %0 = {bias}
      %1 = tile.mvm {x}, %w, %0 : f32[3, 8]
      return %1
    }}""")
    assert len(found) == made


def test_attention_needs_elements_in_order() -> None:
    _, made = copied("""func @main(%k: f32[2, 4, s0], %v: f32[2, s0, 4]) -> (f32[2, s0, 4]) {
      %0 = graph.permute %k {dims = [0, 2, 1]} : f32[2, s0, 4]
      %1 = tile.attention %0, %v, %v : f32[2, s0, 4]
      return %1
    }""")
    assert made == ["graph.reshape"]


@pytest.mark.parametrize(
    ("value", "type", "made"),
    [
        ("graph.permute %x {dims = [1, 0]} : f32[8, s0]", "f32[8, s0]", 0),
        ("graph.permute %y {dims = [1, 0]} : f32[8, s0]", "f32[8, s0]", 1),
        ("graph.reshape %y {shape = [s0, 2, 4]} : f32[s0, 2, 4]", "f32[s0, 2, 4]", 0),
        ("graph.permute %z {dims = [1, 0]} : f32[8, s0]", "f32[8, s0]", 0),
        ("graph.resource {name = @r} : f32[3]", "f32[3]", 1),
    ],
)
def test_a_result_is_a_whole_buffer_or_a_view_of_what_exists(
    value: str, type: str, made: int
) -> None:
    _, found = copied(f"""module {{
      resource @r : f32[3]
      func @main(%x: f32[s0, 8]) -> ({type}) {{
        %y = graph.relu %x : f32[s0, 8]
        %z = graph.external %x {{operator = "aten::relu"}} : f32[s0, 8]
        %0 = {value}
        return %0
      }}
    }}""")
    assert len(found) == made


def test_a_result_is_copied_at_once() -> None:
    function, _ = copied("""func @main(%x: f32[s0, 8]) -> (f32[8, s0], f32[s0, 8]) {
      %y = graph.relu %x : f32[s0, 8]
      %0 = graph.permute %y {dims = [1, 0]} : f32[8, s0]
      %1 = graph.exp %y : f32[s0, 8]
      return %0, %1
    }""")
    names = [op.name for op in function.body.operations]
    assert names == ["graph.relu", "graph.permute", "graph.reshape", "graph.exp", "return"]
