"""Reductions and softmax."""

from __future__ import annotations

import pytest
import torch
from importing import check

FUNCTIONS = [
    lambda x: x.sum(),
    lambda x: x.sum(0),
    lambda x: x.sum((0, 2), keepdim=True),
    lambda x: x.sum(1, dtype=torch.float64),
    lambda x: (x > 0).sum(-1),
    lambda x: x.mean(),
    lambda x: x.mean((1, 2)),
    lambda x: x.amax(1),
    lambda x: x.amin((0, 1), keepdim=True),
    lambda x: x.max(),
    lambda x: x.max(1).values,
    lambda x: (x > 1).any(),
    lambda x: (x > 1).any(0),
    lambda x: (x > -9).all(1),
    lambda x: x.var(1),
    lambda x: x.var((0, 1), correction=0),
    lambda x: torch.var_mean(x, 2, correction=2)[0],
    lambda x: x.std(-1),
    lambda x: torch.softmax(x, 1),
    lambda x: torch.log_softmax(x, -1),
    lambda x: torch.softmax(x.half(), -1, dtype=torch.float32),
    lambda x: x.logsumexp(1),
    lambda x: x.argmax(1),
    lambda x: x.norm(dim=1),
    lambda x: x.prod(1),
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_reductions(function):
    check(function, torch.randn(2, 5, 4))


def test_of_a_scalar_and_of_integers():
    check(lambda x: x.sum() + x.mean(), torch.tensor(3.0))
    check(lambda x: (x.sum(1), x.amax(0)), torch.arange(6, dtype=torch.int32).reshape(2, 3))


def test_gradient_of_softmax():
    def f(x, g):
        return torch.ops.aten._softmax_backward_data(g, torch.softmax(x, -1), -1, x.dtype)

    assert "graph.external" not in check(f, torch.randn(3, 4), torch.randn(3, 4))
