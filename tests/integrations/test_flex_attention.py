"""FlexAttention on the device, beside ordinary attention."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

DEVICE = "sidra:0"


@pytest.fixture
def operands() -> list[torch.Tensor]:
    torch.manual_seed(0)
    # Computed, as in a model: a leaf that wants gradients would be a weight, on crossbars.
    return [torch.randn(1, 2, 128, 16, device=DEVICE).mul(2).requires_grad_().neg() for _ in "qkv"]


def test_scores_and_masks_are_modified(operands):
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    mask = create_block_mask(lambda b, h, i, j: i >= j, 1, 2, 128, 128, device=DEVICE)
    result = flex_attention(
        *operands, block_mask=mask, score_mod=lambda score, b, h, i, j: score + 0.1 * (i - j)
    )
    place = torch.arange(128, device=DEVICE)
    bias = 0.1 * (place[:, None] - place)
    bias = bias.masked_fill(place[:, None] < place, float("-inf"))
    copies = [operand.detach().neg().requires_grad_().neg() for operand in operands]
    expected = F.scaled_dot_product_attention(*copies, attn_mask=bias)
    torch.testing.assert_close(result, expected)
    mine = torch.autograd.grad(result.square().sum(), operands)
    theirs = torch.autograd.grad(expected.square().sum(), copies)
    torch.testing.assert_close(mine, theirs, atol=1e-4, rtol=1e-4)


def test_other_devices_are_still_refused():
    from torch.nn.attention.flex_attention import flex_attention

    x = torch.ones(1, 1, 4, 8, requires_grad=True)
    with pytest.raises(NotImplementedError, match="does not support backward on CPU"):
        flex_attention(x, x, x)
