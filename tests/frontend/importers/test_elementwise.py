"""Elementwise operators with one tensor."""

from __future__ import annotations

import pytest
import torch
from importing import check
from torch.nn import functional as F

OPERATORS = [
    torch.exp, torch.expm1, torch.log1p, torch.sqrt, torch.rsqrt, torch.reciprocal, torch.erf,
    torch.tanh, torch.sigmoid, torch.sin, torch.cos, torch.atan, torch.neg, torch.abs, torch.sign,
    torch.floor, torch.ceil, torch.round, torch.trunc, torch.isnan, torch.isinf, torch.logical_not,
    lambda x: F.relu(x), lambda x: F.silu(x), lambda x: F.gelu(x), lambda x: F.softplus(x),
    lambda x: F.leaky_relu(x), torch.square,
    lambda x: F.gelu(x, approximate="tanh"), lambda x: x.clamp(0.3), lambda x: x.clamp(max=0.7),
    lambda x: x.clamp(-1, 1), lambda x: F.hardtanh(x), lambda x: x.to(torch.float64),
    lambda x: x.half(), lambda x: x.clone(), lambda x: x > 0.5,
]  # fmt: skip


@pytest.mark.parametrize("operator", OPERATORS)
def test_of_floats(operator):
    assert "graph.external" not in check(operator, torch.rand(3, 4) + 0.1, tolerance=1e-3)


@pytest.mark.parametrize(
    "operator", [torch.exp, torch.sqrt, torch.neg, torch.abs, torch.floor, torch.bitwise_not]
)
def test_of_integers(operator):
    check(operator, torch.arange(12).reshape(3, 4))


def test_limits_that_are_tensors_are_a_call():
    names = check(lambda x, y: torch.clamp(x, y), torch.randn(4), torch.zeros(4))
    assert "graph.external" in names
