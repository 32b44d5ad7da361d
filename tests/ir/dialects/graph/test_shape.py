"""Moving elements, against PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from sidra.errors import InferenceError, InterpreterError
from sidra.ir import dims
from sidra.ir.builder import function_builder
from sidra.ir.interpreter import interpret
from sidra.ir.types import tensor

Check = Callable[..., None]

X = torch.arange(24.0).reshape(2, 3, 4)
S0 = dims.symbol("s0")


def test_agrees_with_torch(check: Check) -> None:
    check("reshape", lambda x: x.reshape(6, 4), X, shape=(6, 4))
    check("permute", lambda x: x.permute(2, 0, 1), X, dims=(2, 0, -2))
    check("broadcast", lambda x: x.expand(5, 2, 3, 4), X, shape=(5, 2, 3, 4))
    check("flip", lambda x: x.flip(0, 2), X, dims=(0, -1))
    check("concat", lambda a, b: torch.cat([a, b], 1), X, X[:, :1], dim=1)
    check("permute", lambda x: x.permute(1, 0), torch.ones(2, 3, dtype=torch.bfloat16), dims=(1, 0))


def test_slice(check: Check) -> None:
    bounds = {"start": (0, 1, 1), "stop": (2, 3, 4), "step": (1, 1, 2)}
    check("slice", lambda x: x[:, 1:3, 1:4:2], X, **bounds)


@pytest.mark.parametrize("pads", [(1, 2, 0, 1), (-1, 2, 0, -2)])
def test_pad(check: Check, pads: tuple[int, ...]) -> None:
    low, high = (0, pads[2], pads[0]), (0, pads[3], pads[1])
    check("pad", lambda x: functional.pad(x, pads, value=7), X, low=low, high=high, value=7.0)


def test_pad_of_a_scalar_is_nothing(check: Check) -> None:
    check("pad", lambda x: x, torch.tensor(2.0), low=(), high=())


def test_pad_of_integers_needs_an_integer() -> None:
    function, builder = function_builder("main", [tensor("i64[2]")])
    with pytest.raises(InferenceError, match=r"value is 0\.5, but i64 needs an integer"):
        builder.create("graph.pad", function.arguments, {"low": (1,), "high": (1,), "value": 0.5})


def test_symbolic_sizes() -> None:
    function, builder = function_builder("main", [tensor("f32[s0, 4]")])
    (x,) = function.arguments
    flat = builder.create("graph.reshape", [x], {"shape": (S0 * 4,)})
    tail = builder.create("graph.slice", [flat], {"start": (S0,), "stop": (S0 * 4,), "step": (2,)})
    both = builder.create("graph.concat", [tail, flat])
    builder.finish([both])
    assert str(tail.type) == "f32[(3*s0+1)//2]"
    (result,) = interpret(function, [np.arange(12, dtype=np.float32).reshape(3, 4)])
    assert result.tolist() == [3, 5, 7, 9, 11, *range(12)]


def test_symbolic_reshape_is_checked_at_run_time() -> None:
    function, builder = function_builder("main", [tensor("f32[s0]")])
    shape = (S0 // 4, 4)
    builder.finish([builder.create("graph.reshape", function.arguments, {"shape": shape})])
    with pytest.raises(InterpreterError, match=r"graph.reshape: cannot reshape array of size 6"):
        interpret(function, [np.zeros(6, np.float32)])


@pytest.mark.parametrize(
    ("name", "attributes", "text"),
    [
        ("reshape", {"shape": (5,)}, "[5] has 5 elements, not 24"),
        ("permute", {"dims": (0, 1)}, "2 dims do not permute rank 3"),
        ("permute", {"dims": (0, 1, 1)}, "dims [0, 1, 1] name one dim twice"),
        ("broadcast", {"shape": (4,)}, "f32[2, 3, 4] does not broadcast to [4]"),
        (
            "slice",
            {"start": (0, 0, 0), "stop": (2, 4, 4), "step": (1, 1, 1)},
            "0 to 4 is not within 0 to 3",
        ),
        ("slice", {"start": (0,), "stop": (1,), "step": (1,)}, "need 3 numbers each"),
        (
            "slice",
            {"start": (0, 0, 0), "stop": (2, 3, 4), "step": (1, 1, 0)},
            "step 0 is not above 0",
        ),
        ("pad", {"low": (0, 0, -5), "high": (0, 0, 0)}, "4 elements do not let 5 and 0 be removed"),
        ("flip", {"dims": (3,)}, "dim 3 is outside -3 to 2"),
    ],
)
def test_refuses(name: str, attributes: dict[str, Any], text: str) -> None:
    function, builder = function_builder("main", [tensor("f32[2, 3, 4]")])
    with pytest.raises(InferenceError) as caught:
        builder.create(f"graph.{name}", function.arguments, attributes)
    assert text in str(caught.value)


def test_concat_refuses_other_shapes() -> None:
    function, builder = function_builder("main", [tensor("f32[2, 3]"), tensor("f32[2, 4]")])
    with pytest.raises(InferenceError, match="differ outside dim 0"):
        builder.create("graph.concat", function.arguments)
