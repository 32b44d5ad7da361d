"""Binding, rounding, errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from sidra.errors import InterpreterError
from sidra.ir.core import Operation
from sidra.ir.interpreter import interpret
from sidra.ir.parser import parse_module
from sidra.ir.registry import OpDefinition, Run, define
from sidra.ir.types import Array
from sidra.ir.verifier import verify

TEXT = """func @main(%x: f32[s0+1, s0], %y: f32[s0]) -> (f32[s0+1, s0]) {
  %0 = graph.add %x, %y : f32[s0+1, s0]
  return %0
}
"""


def run(text: str, *arrays: Any) -> list[Any]:
    module = parse_module(text)
    return list(interpret(module.functions["main"], arrays, module))


def zeros(*shape: int) -> Any:
    return np.zeros(shape, np.float32)


def test_symbols_come_from_shapes_in_any_order() -> None:
    assert run(TEXT, zeros(4, 3), zeros(3))[0].shape == (4, 3)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ([zeros(4, 3)], "@main takes 2 arrays, not 1"),
        ([zeros(4, 3), zeros(2)], "f32[s0]: s0 is 3, not 2 where s0 = 3"),
        ([zeros(5, 3), zeros(3)], "f32[s0+1, s0]: s0+1 is 4, not 5 where s0 = 3"),
        ([zeros(3), zeros(3)], "argument 0 of @main has the shape (3,), but must be f32[s0+1, s0]"),
        ([np.zeros((4, 3)), zeros(3)], "argument 0 of @main is float64, but f32[s0+1, s0] needs"),
    ],
)
def test_arguments_that_do_not_fit(arrays: list[Any], message: str) -> None:
    with pytest.raises(InterpreterError) as caught:
        run(TEXT, *arrays)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("func @main(%x: f32[2*s0]) -> () { return }", "nothing gives s0 a value"),
        ("func @main(%x: f32[4]) -> () { t.a\nreturn }", "there is no op t.a"),
        ("func @main(%x: f32[4]) -> () {}", "a block has no terminator"),
        (
            "func @main(%x: f32[4]) -> () { %0 = graph.exp %x : f32[5]\nreturn }",
            "graph.exp gave the shape (4,), but f32[5] is (5,)",
        ),
        (
            "func @main(%x: f32[4]) -> () { %0 = graph.iota {size = s1} : i64[s1]\nreturn }",
            "graph.iota: nothing gives s1 a value",
        ),
        (
            "resource @w : f32[1] func @main(%x: f32[4]) -> () "
            "{ %0 = graph.resource {name = @w} : f32[1]\nreturn }",
            "the resource @w has no data",
        ),
        (
            "func @main(%x: f32[4]) -> () { %0, %1 = graph.exp %x : f32[4], f32[4]\nreturn }",
            "graph.exp gave 1 arrays, not 2",
        ),
    ],
)
def test_ir_without_a_meaning(text: str, message: str) -> None:
    with pytest.raises(InterpreterError) as caught:
        run(text, zeros(4))
    assert message in str(caught.value)


def test_results_round_to_their_dtype() -> None:
    text = """func @main(%x: bf16[1], %y: bf16[1]) -> (bf16[1]) {
      %0 = graph.add %x, %y : bf16[1]
      return %0
    }"""
    one, tiny = np.array([1], np.float32), np.array([2**-9], np.float32)
    assert run(text, one, tiny)[0].tolist() == [1.0]


def repeat(run: Run, operation: Operation, arrays: Sequence[Array]) -> Sequence[Array]:
    """Run the region three times, on what it yielded before."""
    (body,) = operation.regions
    for _ in range(3):
        arrays = run(body, arrays)
    return arrays


def test_regions_see_what_is_around_them() -> None:
    define(
        OpDefinition(
            "test.repeat", (1, 1), infer=lambda types, _: types, interpret=repeat, regions=1
        )
    )
    module = parse_module("""func @main(%x: f32[s0], %y: f32[s0]) -> (f32[s0]) {
      %0 = test.repeat %x : f32[s0] { (%carried: f32[s0])
        %1 = graph.add %carried, %y : f32[s0]
        yield %1
      }
      return %0
    }""")
    verify(module)
    x, y = np.array([1, 2], np.float32), np.array([10, 20], np.float32)
    (result,) = interpret(module.functions["main"], [x, y])
    assert result.tolist() == [31, 62]


def test_observer_sees_every_result() -> None:
    seen: list[tuple[str, int]] = []
    module = parse_module(TEXT)
    interpret(
        module.functions["main"],
        [zeros(4, 3), zeros(3)],
        observe=lambda op, arrays: seen.append((op.name, len(arrays))),
    )
    assert seen == [("graph.add", 1)]
