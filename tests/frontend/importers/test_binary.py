"""Elementwise operators with two operands, and PyTorch's promotion."""

from __future__ import annotations

import itertools

import pytest
import torch
from importing import check

OPERATORS = [
    torch.add, torch.sub, torch.mul, torch.div, torch.maximum, torch.minimum, torch.eq, torch.ne,
    torch.lt, torch.le, torch.gt, torch.ge, torch.logical_and, torch.logical_or, torch.logical_xor,
]  # fmt: skip
DTYPES = [torch.float32, torch.float64, torch.float16, torch.int64, torch.int32, torch.uint8]


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize(("a", "b"), list(itertools.combinations_with_replacement(DTYPES, 2)))
def test_of_two_dtypes(operator, a, b):
    x = (torch.arange(12).reshape(3, 4) % 5 + 1).to(a)
    y = (torch.arange(4) % 3 + 1).to(b)
    check(operator, x, y, tolerance=1e-3)


@pytest.mark.parametrize("dtype", [*DTYPES, torch.bool])
@pytest.mark.parametrize("number", [2, 2.5, True])
def test_with_a_number(dtype, number):
    x = (torch.arange(6) % 2).to(dtype)
    check(lambda x: (x + number, x * number, number * x), x, tolerance=1e-3)


def test_zero_dims_do_not_promote():
    check(lambda x, y: x + y, torch.randn(3), torch.tensor(2.0, dtype=torch.float64))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: torch.add(x, y, alpha=0.5),
        lambda x, y: torch.sub(x, y, alpha=3),
        lambda x, y: torch.rsub(x, 2),
        lambda x, y: torch.div(x, y, rounding_mode="floor"),
        lambda x, y: torch.div(x, y, rounding_mode="trunc"),
        lambda x, y: x // 2,
        lambda x, y: torch.remainder(x, y),
        lambda x, y: torch.fmod(x, y),
        lambda x, y: x**2 + x**3 + 2**y,
        lambda x, y: torch.where(x > y, x, 1.0),
        lambda x, y: torch.where(x > y, x, y),
        lambda x, y: x.masked_fill(x > y, float("-inf")),
        lambda x, y: torch.addcmul(x, x, y, value=0.3),
        lambda x, y: torch.lerp(x, y, 0.25),
        lambda x, y: torch.lerp(x, y, 0.75),
        lambda x, y: torch.atan2(x, y),
    ],
)
def test_forms(function):
    check(function, torch.rand(3, 4) + 0.5, torch.rand(4) + 0.5)


def test_integers():
    x, y = torch.arange(-6, 6), torch.tensor(4)
    check(lambda x, y: (x // 4, x % 4, x & y, x | y, x ^ y, x << 2, x >> 1), x, y)


def test_gradients_of_activations():
    aten = torch.ops.aten

    def f(x, g):
        return (
            aten.tanh_backward(g, torch.tanh(x)),
            aten.sigmoid_backward(g, torch.sigmoid(x)),
            aten.threshold_backward(g, x, 0),
        )

    assert "graph.external" not in check(f, torch.randn(5), torch.randn(5))
