"""q, k and v from what products are taken of."""

from __future__ import annotations

from sidra.ir.core import Function
from sidra.ir.parser import parse_module
from sidra.ir.rewrite import Rewriter
from sidra.passes.attention.operands import (
    is_batch_of,
    keeps_matrices,
    keys_of,
    number_of,
    rows_of,
    shared_heads,
    unscaled,
)


def function(body: str) -> Function:
    return parse_module(f"""func @main(%x: f32[2, 4, 5, 8]) -> () {{
      {body}
      return
    }}""").functions["main"]


def at_the_end(main: Function) -> Rewriter:
    assert main.body.last is not None
    return Rewriter(main.body.last, {})


FLAT = "%0 = graph.reshape %x {shape = [8, 5, 8]} : f32[8, 5, 8]"


def test_rows_are_what_was_flattened() -> None:
    main = function(FLAT)
    flat = main.body.first
    assert flat is not None
    assert keeps_matrices(flat)
    rewriter = at_the_end(main)
    assert rows_of(rewriter, flat.result, (2, 4)) is main.arguments[0]
    assert rows_of(rewriter, flat.result, (4, 2)).type.shape == (4, 2, 5, 8)
    assert is_batch_of(flat.result, (2, 4))
    assert not is_batch_of(flat.result, (2, 3))


def test_keys_are_what_was_transposed() -> None:
    main = function("%0 = graph.permute %x {dims = [0, 1, 3, 2]} : f32[2, 4, 8, 5]")
    assert main.body.first is not None
    rewriter = at_the_end(main)
    transposed = main.body.first.result
    assert keys_of(rewriter, transposed, (2, 4)) is main.arguments[0]
    assert keys_of(rewriter, main.arguments[0], (2, 4)).type.shape == (2, 4, 8, 5)


def test_repeated_heads_are_found_for_both_or_none() -> None:
    main = function("""%0 = graph.reshape %x {shape = [2, 4, 1, 5, 8]} : f32[2, 4, 1, 5, 8]
      %1 = graph.broadcast %0 {shape = [2, 4, 3, 5, 8]} : f32[2, 4, 3, 5, 8]
      %2 = graph.reshape %1 {shape = [2, 12, 5, 8]} : f32[2, 12, 5, 8]""")
    assert main.body.last is not None
    assert main.body.last.previous is not None
    repeated = main.body.last.previous.result
    rewriter = at_the_end(main)
    shared = shared_heads(rewriter, repeated, repeated)
    assert [value.type.shape for value in shared] == [(2, 4, 5, 8)] * 2
    x = main.arguments[0]
    assert shared_heads(rewriter, repeated, x) == (repeated, x)


def test_numbers_and_what_they_scale() -> None:
    main = function("""%0 = graph.full {shape = [], value = 0.5} : f32[]
      %1 = graph.broadcast %0 {shape = [2, 4, 5, 8]} : f32[2, 4, 5, 8]
      %2 = graph.mul %x, %1 : f32[2, 4, 5, 8]
      %3 = graph.reshape %2 {shape = [8, 5, 8]} : f32[8, 5, 8]
      %4 = graph.exp %3 : f32[8, 5, 8]""")
    _, broadcast, mul, reshape, _, _ = main.body.operations
    assert number_of(broadcast.result) == 0.5
    assert number_of(mul.result) is None
    assert unscaled(reshape.result) == (main.arguments[0], 0.5)
    assert unscaled(main.arguments[0]) == (main.arguments[0], 1.0)
