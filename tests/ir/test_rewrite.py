"""The greedy driver and dead operations."""

from __future__ import annotations

import pytest

from sidra.errors import PassError
from sidra.ir.core import Operation
from sidra.ir.parser import parse_module
from sidra.ir.printer import function_text
from sidra.ir.rewrite import RewritePattern, Rewriter, eliminate_dead, rewrite
from sidra.ir.verifier import verify

TEXT = """func @main(%x: f32[2]) -> (f32[2]) {
  %0 = graph.neg %x : f32[2] loc("a")
  %1 = graph.neg %0 : f32[2]
  %2 = graph.neg %1 : f32[2]
  %3 = graph.neg %2 : f32[2]
  %4 = graph.exp %3 : f32[2] loc("b")
  %5 = graph.sin %4 : f32[2]
  return %4
}
"""


class DoubleNegation(RewritePattern):
    names = ("graph.neg",)

    def rewrite(self, operation: Operation, rewriter: Rewriter) -> bool:
        inner = operation.operands[0].operation
        if inner is None or inner.name != "graph.neg":
            return False
        rewriter.replace(operation, inner.operands[0])
        return True


class ExpToTanh(RewritePattern):
    names = ("graph.exp",)

    def rewrite(self, operation: Operation, rewriter: Rewriter) -> bool:
        rewriter.replace_by(operation, "graph.tanh", operation.operands)
        return True


class Flip(RewritePattern):
    def rewrite(self, operation: Operation, rewriter: Rewriter) -> bool:
        other = {"graph.sin": "graph.cos", "graph.cos": "graph.sin"}.get(operation.name)
        if other is None:
            return False
        rewriter.replace_by(operation, other, operation.operands)
        return True


def test_rewrites_to_a_fixed_point_and_drops_the_dead() -> None:
    module = parse_module(TEXT)
    function = module.functions["main"]
    result = rewrite(function, [DoubleNegation(), ExpToTanh()])
    verify(module)
    assert function_text(function) == (
        "func @main(%x: f32[2]) -> (f32[2]) {\n"
        '  %0 = graph.tanh %x : f32[2] loc("b")\n'
        "  return %0\n"
        "}\n"
    )
    assert result.changed
    assert result.rewrites == 3
    assert 2 <= result.rounds <= 4
    assert not rewrite(function, [DoubleNegation()]).changed


def test_what_does_not_settle_is_an_error() -> None:
    module = parse_module(TEXT.replace("return %4", "return %5"))
    with pytest.raises(PassError, match=r"@main does not settle within 10 rounds, at graph\."):
        rewrite(module.functions["main"], [Flip()], max_rounds=10)


def test_dead_operations_go_in_chains_and_effects_stay() -> None:
    text = TEXT.replace("return %4", 't.effect %0\n  graph.external {operator = "a::b"}\nreturn %x')
    function = parse_module(text).functions["main"]
    assert eliminate_dead(function) == 5
    names = [op.name for op in function.walk()]
    assert names == ["graph.neg", "t.effect", "graph.external", "return"]


def test_a_detached_operation_is_refused() -> None:
    with pytest.raises(ValueError, match=r"t\.a is in no block"):
        Rewriter(Operation("t.a"), {})
