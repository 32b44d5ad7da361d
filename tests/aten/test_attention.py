"""Attention: the fused form where it fits, the same results everywhere, gradients included."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

DEVICE = "sidra:0"


def draw(*shape, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(7)).to(dtype)


CASES = {
    "plain": {},
    "causal": {"is_causal": True},
    "scale": {"scale": 0.3},
    "boolean mask": {"attn_mask": torch.ones(5, 9).tril(3).bool()},
    "float mask": {"attn_mask": torch.linspace(-1, 1, 45).view(1, 1, 5, 9)},
}


@pytest.mark.parametrize("options", CASES.values(), ids=CASES.keys())
def test_attention_matches_the_cpu(options):
    query, key, value = draw(2, 3, 5, 8), draw(2, 3, 9, 8), draw(2, 3, 9, 8)
    moved = {k: v.to(DEVICE) if isinstance(v, torch.Tensor) else v for k, v in options.items()}
    left = [t.clone().requires_grad_() for t in (query, key, value)]
    right = [t.to(DEVICE).requires_grad_() for t in (query, key, value)]
    wanted = scaled_dot_product_attention(*left, **options)
    got = scaled_dot_product_attention(*right, **moved)
    torch.testing.assert_close(got.cpu(), wanted)
    wanted.square().sum().backward()
    got.square().sum().backward()
    for a, b in zip(left, right, strict=True):
        torch.testing.assert_close(b.grad.cpu(), a.grad, rtol=1e-4, atol=1e-5)


def test_the_fused_form_runs_on_the_engines(ledger):
    query = draw(1, 2, 4, 8).to(DEVICE)
    scaled_dot_product_attention(query, query, query)
    assert ("aten::_scaled_dot_product_flash_attention_for_cpu", "compute_engine") in ledger()


def test_grouped_queries_and_trained_masks_take_the_composite_form():
    query, key = draw(1, 4, 5, 8), draw(1, 2, 5, 8)
    wanted = scaled_dot_product_attention(query, key, key, enable_gqa=True)
    moved = (t.to(DEVICE) for t in (query, key, key))
    torch.testing.assert_close(scaled_dot_product_attention(*moved, enable_gqa=True).cpu(), wanted)
    mask = torch.zeros(5, 5, device=DEVICE, requires_grad=True)
    query = query.to(DEVICE)
    scaled_dot_product_attention(query, query, query, attn_mask=mask).sum().backward()
    assert mask.grad is not None


def test_attention_is_traced_with_symbolic_sizes():
    def attend(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True)

    compiled = torch.compile(attend, backend="aot_eager", dynamic=True, fullgraph=True)
    for length in (3, 5):
        x = torch.rand(1, 2, length, 8).to(DEVICE)
        torch.testing.assert_close(compiled(x), attend(x))


def test_vectors_may_lie_apart():
    apart = [torch.rand(1, 2, 5, 16)[..., ::2] for _ in range(3)]
    expected = torch.nn.functional.scaled_dot_product_attention(*apart)
    there = [x.to(DEVICE).repeat_interleave(2, -1)[..., ::2].requires_grad_() for x in apart]
    assert there[0].stride(-1) == 2
    result = torch.nn.functional.scaled_dot_product_attention(*there)
    torch.testing.assert_close(result.cpu(), expected)
    here = [x.clone().requires_grad_() for x in apart]
    torch.nn.functional.scaled_dot_product_attention(*here).square().sum().backward()
    result.square().sum().backward()
    for mine, theirs in zip(there, here, strict=True):
        torch.testing.assert_close(mine.grad.cpu(), theirs.grad)


def test_attention_maps_over_a_batch():
    x = torch.rand(3, 1, 2, 4, 8)
    attend = torch.vmap(lambda q: torch.nn.functional.scaled_dot_product_attention(q, q, q))
    torch.testing.assert_close(attend(x.to(DEVICE)).cpu(), attend(x))
