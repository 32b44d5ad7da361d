"""Convolutions on crossbars: the bits of a linear layer over patches, in every memory format."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

CASES = {
    "pointwise": dict(channels=5, outputs=7, kernel=1),
    "three": dict(channels=6, outputs=9, kernel=3, padding=1),
    "strided": dict(channels=3, outputs=4, kernel=5, stride=2, padding=2),
    "dilated": dict(channels=4, outputs=3, kernel=3, dilation=2, padding=3),
    "no padding": dict(channels=17, outputs=33, kernel=2),
}


def case(channels, outputs, kernel, **settings):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(2, channels, 11, 13, generator=generator)
    weight = torch.randn(outputs, channels, kernel, kernel, generator=generator)
    bias = torch.randn(outputs, generator=generator)
    return x, weight, bias, settings


def as_linear(x, weight, bias, settings):
    """The same product as vectors [positions][pixels of the kernel, channels]."""
    kernel = weight.shape[2:]
    columns = F.unfold(x, kernel, **{"stride": 1} | settings)
    patches = columns.view(x.shape[0], x.shape[1], -1, columns.shape[-1]).permute(0, 3, 2, 1)
    matrix = weight.permute(0, 2, 3, 1).flatten(1)
    rows = F.linear(patches.flatten(2).to("sidra"), matrix.to("sidra"), bias.to("sidra")).cpu()
    sizes = F.conv2d(x, weight, bias, **settings).shape
    return rows.transpose(1, 2).reshape(sizes)


@pytest.mark.parametrize("memory_format", [torch.contiguous_format, torch.channels_last])
@pytest.mark.parametrize("name", CASES)
def test_has_the_bits_of_a_linear_layer_over_patches(name, memory_format):
    x, weight, bias, settings = case(**CASES[name])
    on_chip = x.to("sidra").contiguous(memory_format=memory_format)
    y = F.conv2d(on_chip, weight.to("sidra"), bias.to("sidra"), **settings)
    assert y.is_contiguous()
    assert torch.equal(y.cpu(), as_linear(x, weight, bias, settings))


def test_an_input_with_gaps_is_the_same():
    x, weight, bias, settings = case(**CASES["three"])
    wide = torch.randn(2, 12, 22, 13).to("sidra")
    gaps = wide[:, ::2, ::2]
    gaps.copy_(x)
    y = F.conv2d(gaps, weight.to("sidra"), bias.to("sidra"), **settings)
    assert torch.equal(y.cpu(), as_linear(x, weight, bias, settings))


@pytest.mark.parametrize("threads", [1, 2])
def test_large_images_do_not_depend_on_threads(threads):
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        x = torch.randn(1, 40, 70, 90, generator=torch.Generator().manual_seed(1))
        weight = torch.randn(50, 40, 3, 3, generator=torch.Generator().manual_seed(2))
        y = F.conv2d(x.to("sidra"), weight.to("sidra"), padding=1)
        bias = torch.zeros(50)
        assert torch.equal(y.cpu(), as_linear(x, weight, bias, {"padding": 1}))
    finally:
        torch.set_num_threads(before)
