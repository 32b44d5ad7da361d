"""External ops: text, verification, the interpreter's callback."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from sidra.errors import InterpreterError, VerifyError
from sidra.ir.core import Operation
from sidra.ir.interpreter import interpret
from sidra.ir.parser import parse_module
from sidra.ir.printer import module_text
from sidra.ir.types import Array
from sidra.ir.verifier import verify

TEXT = """module {
  func @main(%x: f32[s0]) -> (i64[u0, 1], f32[u0]) {
    %0 = graph.external %x {operator = "aten::nonzero", self_args = [1, none]} : i64[u0, 1]
    %1 = graph.full {shape = [u0], value = 2.0} : f32[u0]
    return %0, %1
  }
}
"""


def nonzero(operation: Operation, arrays: Sequence[Array]) -> list[Array]:
    assert operation.attributes["operator"] == "aten::nonzero"
    return [np.argwhere(arrays[0])]


def test_result_shapes_may_depend_on_data() -> None:
    module = parse_module(TEXT)
    verify(module)
    assert module_text(module) == TEXT
    x = np.array([1, 0, 2], np.float32)
    where, twos = interpret(module.functions["main"], [x], module, nonzero)
    assert where.tolist() == [[0], [2]]
    assert twos.tolist() == [2, 2]


def test_needs_a_callback() -> None:
    with pytest.raises(InterpreterError, match=r"graph.external needs a callback: pass external="):
        interpret(parse_module(TEXT).functions["main"], [np.zeros(1, np.float32)])


def test_result_must_be_of_its_type() -> None:
    function = parse_module(TEXT).functions["main"]
    with pytest.raises(InterpreterError, match=r"result of graph\.external is float32"):
        interpret(function, [np.zeros(1, np.float32)], external=lambda op, arrays: arrays)


def test_operator_must_have_a_name() -> None:
    module = parse_module(TEXT.replace("aten::nonzero", "nonzero"))
    with pytest.raises(VerifyError, match='operator is "nonzero", but must be like'):
        verify(module)
