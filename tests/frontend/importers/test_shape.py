"""Operators that move elements."""

from __future__ import annotations

import pytest
import torch
from importing import check

FUNCTIONS = [
    lambda x: x.view(4, 6),
    lambda x: x.reshape(-1, 2),
    lambda x: x.permute(2, 0, 1),
    lambda x: x.transpose(0, -1),
    lambda x: x[0].t(),
    lambda x: x[:, :1].expand(2, 3, 4),
    lambda x: x[:1, :1].expand(5, -1, 3, -1),
    lambda x: x.unsqueeze(-2).squeeze(-2).unsqueeze(0).squeeze(),
    lambda x: x[:, 1:, ::2],
    lambda x: x[..., -3:-1],
    lambda x: x[:, 100:],
    lambda x: x[1, -1],
    lambda x: x.split(2, -1)[1],
    lambda x: x.split([1, 3], 2)[1],
    lambda x: x.unbind(1)[2],
    lambda x: x.chunk(3, 1)[0],
    lambda x: torch.cat([x, x * 2, x[:, :1]], 1),
    lambda x: torch.cat([x, torch.ones(2, 3, 1, device=x.device, dtype=torch.int64)], -1),
    lambda x: torch.stack([x, -x], -1),
    lambda x: torch.nn.functional.pad(x, (1, 2, 0, 3), value=1.5),
    lambda x: torch.nn.functional.pad(x, (-1, 2)),
    lambda x: x.flip(0, 2),
    lambda x: x.repeat(2, 1, 3),
    lambda x: x.roll(1, 0),
    lambda x: x.flatten(1),
]


def computed(function):
    """The function with a result of its own: a view of an input would be an alias, not an op."""
    return lambda x: function(x) * 1


@pytest.mark.parametrize("function", FUNCTIONS)
def test_moves(function):
    check(computed(function), torch.arange(24.0).reshape(2, 3, 4))


@pytest.mark.parametrize("function", [FUNCTIONS[i] for i in (1, 2, 3, 8, 9, 11, 16, 18, 24)])
def test_moves_of_symbolic_sizes(function):
    check(computed(function), torch.arange(24.0).reshape(2, 3, 4), symbolic=True)


def test_symbolic_splits_of_heads():
    def f(x):
        b, n, w = x.shape
        return x.view(b, n, 2, w // 2).transpose(1, 2).reshape(b, 2, n * (w // 2))

    check(f, torch.randn(2, 3, 4), symbolic=True)
