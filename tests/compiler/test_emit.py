"""Executables: buffers, lives, views, and what is refused."""

from __future__ import annotations

import pytest

from sidra.compiler.emit import emit
from sidra.compiler.executable import CallStep, KernelStep, MvmStep
from sidra.compiler.pipeline import lower
from sidra.errors import CodegenError
from sidra.ir.parser import parse_module

TEXT = """
func @main(%x: f32[s0, 8], %w: f32[4, 8], %b: f32[4]) -> (f32[s0, 4], f32[4*s0]) {
  %0 = graph.linear %x, %w, %b : f32[s0, 4]
  %1 = graph.gelu %0 : f32[s0, 4]
  %2 = graph.external %1 {operator = "aten::cumsum", arguments = ["$0", 0, "$none"]} : f32[s0, 4]
  %3 = graph.tanh %2 : f32[s0, 4]
  %4 = graph.reshape %3 {shape = [4*s0]} : f32[4*s0]
  return %3, %4
}
"""


def emitted(text=TEXT):
    module = parse_module(text)
    lower(module)
    return emit(module.functions["main"], module)


def test_steps_and_their_buffers():
    executable, sources = emitted()
    mvm, gelu, call, tanh = executable.steps
    assert isinstance(mvm, MvmStep)
    assert isinstance(gelu, KernelStep)
    assert isinstance(call, CallStep)
    assert isinstance(tanh, KernelStep)
    assert [source.name for source in sources] == ["gelu", "tanh"]
    assert mvm.weight.buffer.kind == "input"
    assert mvm.result.buffer == gelu.operands[0].buffer
    assert tanh.operands[0].buffer.kind == "slot"
    assert call.slots == (0,)


def test_lives_end_with_the_last_reader():
    executable, _ = emitted()
    lives = [(item.first, item.last) for item in executable.arena]
    assert lives == [(0, 1), (1, 2)]


def test_what_is_returned_is_an_output_and_its_view():
    executable, _ = emitted()
    whole, flat = executable.results
    assert whole.buffer == flat.buffer
    assert whole.buffer.kind == "output"
    assert flat.strides == (1,)


def test_an_operation_that_is_no_step_is_named():
    module = parse_module(
        "func @main(%x: f32[4]) -> (f32[4]) {\n  %0 = graph.exp %x : f32[4]\n  return %0\n}"
    )
    with pytest.raises(CodegenError, match=r"graph\.exp is no step of an executable"):
        emit(module.functions["main"], module)
