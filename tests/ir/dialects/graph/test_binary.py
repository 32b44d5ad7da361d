"""Binary ops and select against PyTorch."""

from __future__ import annotations

import operator
from collections.abc import Callable

import pytest
import torch

from sidra.errors import InferenceError
from sidra.ir.builder import function_builder
from sidra.ir.types import tensor

Check = Callable[..., None]

A = torch.tensor([[-7.5, 2.0, float("nan"), 3.0], [0.5, -0.0, 5.0, 4.0]])
B = torch.tensor([2.0, -3.0, 1.0, 3.0])
I = torch.tensor([[-7, 2, 5], [6, 0, 9]])  # noqa: E741 - integers
J = torch.tensor([2, 3, 1])

FLOATS = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
    "floordiv": torch.floor_divide,
    "remainder": torch.remainder,
    "fmod": torch.fmod,
    "pow": torch.pow,
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "atan2": torch.atan2,
    "logical_and": torch.logical_and,
    "logical_or": torch.logical_or,
    "logical_xor": torch.logical_xor,
    "eq": torch.eq,
    "ne": torch.ne,
    "lt": torch.lt,
    "le": torch.le,
    "gt": torch.gt,
    "ge": torch.ge,
}
INTEGERS = {
    "add": torch.add,
    "mul": torch.mul,
    "floordiv": torch.floor_divide,
    "remainder": torch.remainder,
    "fmod": torch.fmod,
    "pow": torch.pow,
    "bitwise_and": torch.bitwise_and,
    "bitwise_or": torch.bitwise_or,
    "bitwise_xor": torch.bitwise_xor,
    "shift_left": operator.lshift,
    "shift_right": operator.rshift,
    "lt": torch.lt,
}


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_floats_agree_with_torch(check: Check, name: str, dtype: torch.dtype) -> None:
    check(name, FLOATS[name], A.to(dtype), B.to(dtype))


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("dtype", [torch.int64, torch.int8])
def test_integers_agree_with_torch(check: Check, name: str, dtype: torch.dtype) -> None:
    check(name, INTEGERS[name], I.to(dtype), J.to(dtype))


def test_integers_wrap(check: Check) -> None:
    check("mul", torch.mul, torch.tensor([100], dtype=torch.int8), J.to(torch.int8))


def test_truths(check: Check) -> None:
    a, b = torch.tensor([True, True, False]), torch.tensor([True, False, False])
    check("add", torch.add, a, b)
    check("mul", torch.mul, a, b)


def test_select_broadcasts(check: Check) -> None:
    condition = torch.tensor([[True], [False]])
    check("select", torch.where, condition, B, torch.zeros(()))


@pytest.mark.parametrize(
    ("name", "types", "text"),
    [
        ("add", ["f32[2]", "f64[2]"], "the dtypes differ: f32, f64; use graph.convert"),
        ("add", ["f32[2, 3]", "f32[4]"], "[2, 3] and [4] do not broadcast: 3 and 4"),
        ("add", ["f32[s0]", "f32[s1]"], "[s0] and [s1] do not broadcast: s0 and s1"),
        ("div", ["i64[2]", "i64[2]"], "i64 is not float or complex"),
        ("select", ["f32[2]", "f32[2]", "f32[2]"], "the condition is f32, but must be i1"),
        ("mul", ["f32[2]"], "graph.mul takes 2 operands, not 1"),
    ],
)
def test_refuses(name: str, types: list[str], text: str) -> None:
    function, builder = function_builder("main", [tensor(t) for t in types])
    with pytest.raises(InferenceError) as caught:
        builder.create(f"graph.{name}", function.arguments)
    assert text in str(caught.value)
