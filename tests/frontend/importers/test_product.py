"""Products: what is a weight stays one."""

from __future__ import annotations

import pytest
import torch
from importing import check, imported
from torch.nn import functional as F

X, W, B = torch.randn(3, 8), torch.randn(5, 8), torch.randn(5)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, w, b: F.linear(x, w, b),
        lambda x, w, b: F.linear(x, w),
        lambda x, w, b: x @ w.t(),
        lambda x, w, b: torch.addmm(b, x, w.t()),
        lambda x, w, b: F.linear(x.view(1, 3, 8), w, b),
        lambda x, w, b: w @ x[0],
    ],
)
def test_a_weight_is_of_a_linear_layer(function):
    names = check(function, X, W, B, tolerance=1e-4)
    assert "graph.linear" in names
    found = imported(function, *(t.to("sidra") for t in (X, W, B)))
    (linear,) = [op for op in found.module.walk() if op.name == "graph.linear"]
    assert linear.operands[1].operation is None


@pytest.mark.parametrize(
    "function",
    [
        lambda x, w, b: (x + 1) @ (w * 2).t(),
        lambda x, w, b: torch.addmm(b, x, w.t(), alpha=2),
        lambda x, w, b: torch.addmm(b * x.sum(), x + 1, (w + 1).t(), beta=0.5),
        lambda x, w, b: torch.bmm(x[None], w.t()[None]),
        lambda x, w, b: torch.baddbmm(b, x[None], w.t()[None]),
    ],
)
def test_other_products(function):
    check(function, X, W, B, tolerance=1e-4)


@pytest.mark.parametrize("causal", [False, True])
def test_attention_is_one(causal):
    q, k = torch.randn(2, 4, 6, 8), torch.randn(2, 4, 6, 8)
    names = check(
        lambda q, k: F.scaled_dot_product_attention(q, k, k, is_causal=causal), q, k, tolerance=1e-4
    )
    assert "graph.attention" in names


def test_attention_with_a_mask():
    q, mask = torch.randn(1, 2, 4, 8), torch.randn(4, 4)
    check(
        lambda q, m: F.scaled_dot_product_attention(q, q, q, attn_mask=m), q, mask, tolerance=1e-4
    )
