"""tile.mvm and tile.attention mean what their graph ops mean."""

from __future__ import annotations

import numpy as np
import pytest

from sidra.errors import InferenceError
from sidra.ir.builder import function_builder
from sidra.ir.core import Function
from sidra.ir.interpreter import interpret
from sidra.ir.types import tensor

MVM = ("f32[2, s0, 8]", "f32[5, 8]", "f32[5]")
ATTENTION = ("f32[2, 4, s0, 8]", "f32[2, 2, s1, 8]", "f32[2, 2, s1, 8]", "i1[s0, s1]")


def one_op(name: str, types: tuple[str, ...], **attributes: object) -> Function:
    function, builder = function_builder("main", [tensor(text) for text in types])
    made = builder.build(name, function.arguments, attributes)  # type: ignore[arg-type]
    builder.finish(made.results)
    return function


def arrays(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    return [random.standard_normal(shape).astype(np.float32) for shape in shapes]


def test_mvm_is_linear() -> None:
    given = arrays((2, 3, 8), (5, 8), (5,))
    (expected,) = interpret(one_op("graph.linear", MVM), given)
    (actual,) = interpret(one_op("tile.mvm", MVM), given)
    np.testing.assert_array_equal(actual, expected)
    (actual,) = interpret(one_op("tile.mvm", MVM, activation="relu"), given)
    np.testing.assert_array_equal(actual, np.maximum(expected, 0))


def test_attention_is_attention() -> None:
    given = arrays((2, 4, 3, 8), (2, 2, 6, 8), (2, 2, 6, 8))
    given.append(np.tri(3, 6, 3, dtype=np.bool_))
    options = {"scale": 0.5, "causal": True}
    (expected,) = interpret(one_op("graph.attention", ATTENTION, **options), given)
    (actual,) = interpret(one_op("tile.attention", ATTENTION, **options), given)
    np.testing.assert_array_equal(actual, expected)


def test_attention_with_heads_last() -> None:
    given = arrays((2, 4, 3, 8), (2, 2, 6, 8), (2, 2, 6, 8))
    (expected,) = interpret(one_op("tile.attention", ATTENTION[:3]), given)
    function = one_op("tile.attention", ATTENTION[:3], heads_last=True)
    assert function.result_types == (tensor("f32[2, s0, 4, 8]"),)
    np.testing.assert_array_equal(interpret(function, given)[0], expected.swapaxes(1, 2))


def test_an_unknown_activation_is_refused() -> None:
    with pytest.raises(InferenceError, match='activation is "tanh", but must be "none" or "relu"'):
        one_op("tile.mvm", MVM, activation="tanh")


def test_shapes_are_those_of_the_graph_op() -> None:
    with pytest.raises(InferenceError, match="the last dims differ"):
        one_op("tile.mvm", ("f32[2, 7]", "f32[5, 8]"))
    with pytest.raises(InferenceError, match="differ in the last dim"):
        one_op("tile.attention", ("f32[1, 2, 3]", "f32[1, 2, 4]", "f32[1, 2, 4]"))
