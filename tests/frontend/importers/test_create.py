"""Tensors from nothing."""

from __future__ import annotations

import pytest
import torch
from importing import check


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x + torch.zeros(3, device=x.device),
        lambda x: x + torch.full((3,), 2.5, device=x.device),
        lambda x: torch.full_like(x, 7) + torch.ones_like(x) + torch.zeros_like(x),
        lambda x: torch.arange(5, device=x.device),
        lambda x: torch.arange(2, 9, 3, device=x.device),
        lambda x: torch.arange(0.0, 1.0, 0.25, device=x.device),
        lambda x: torch.eye(3, device=x.device) + x,
        lambda x: torch.linspace(0, 1, 5, device=x.device),
        lambda x: torch.tril(torch.ones(3, 3, device=x.device)),
        lambda x: torch.tensor(3.0, device=x.device) * x,
    ],
)
def test_creation(function):
    check(function, torch.randn(3))


def test_symbolic_sizes():
    check(
        lambda x: torch.arange(x.shape[0], device=x.device) + x.new_full((x.shape[0],), 2),
        torch.randn(5),
        symbolic=True,
    )
