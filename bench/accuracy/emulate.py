"""The chip's products inside a float32 model, with rules for the input and ADC ranges to choose.

Codes, levels and column sums are integers that float32 holds exactly (255 * 127 * 256 < 2^24), so
PyTorch's own matrix product computes them. Nothing here knows the device: a rule can be tried
before any kernel has it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

TILE_ROWS, WEIGHT_LIMIT, ADC_LIMIT = 256, 127, 127

# x [M, K] f32 -> codes less zero [M, K], integers in f32, and what a code stands for [M, 1] f32
InputRule = Callable[[Tensor], tuple[Tensor, Tensor]]
# row tiles of the levels [N, k] f32, and K -> full scale [N] f32, in code x level
RangeRule = Callable[[list[Tensor], int], Tensor]


@dataclass(frozen=True)
class Rules:
    """How a chip chooses its ranges; without `full_scale` it has no ADC."""

    name: str
    inputs: InputRule
    full_scale: RangeRule | None


class Product(nn.Module):
    """y [..., N] = x [..., K] times weight [N, K], as docs/numerics.md says, + bias."""

    def __init__(self, weight: Tensor, bias: Tensor | None, rules: Rules) -> None:
        """Quantise the weight and fix the ADC's range."""
        super().__init__()
        scale = weight.abs().amax(1) / WEIGHT_LIMIT
        self.scale = torch.where(scale == 0, torch.ones_like(scale), scale)
        levels = (weight / self.scale[:, None]).round().clamp(-WEIGHT_LIMIT, WEIGHT_LIMIT)
        self.tiles = list(levels.split(TILE_ROWS, 1))
        self.bias, self.inputs, self.range = bias, rules.inputs, None
        if rules.full_scale:
            found = rules.full_scale(self.tiles, weight.shape[1])
            self.range = torch.where(found > 0, found, torch.full_like(found, ADC_LIMIT))

    def convert(self, sums: Tensor) -> Tensor:
        """ADC codes [M, N] of column sums [M, N]; the sums themselves without an ADC."""
        if self.range is None:
            return sums
        return (sums * (ADC_LIMIT / self.range)).clamp(-ADC_LIMIT, ADC_LIMIT).round()

    def forward(self, x: Tensor) -> Tensor:
        """Multiply."""
        steps, step = self.inputs(x.reshape(-1, x.shape[-1]).float())
        parts = zip(steps.split(TILE_ROWS, 1), self.tiles, strict=True)
        codes = sum(self.convert(part @ tile.T) for part, tile in parts)
        gain = self.scale if self.range is None else self.range / ADC_LIMIT * self.scale
        y = codes * gain * step
        y = y if self.bias is None else y + self.bias
        return y.reshape(*x.shape[:-1], -1)


class Convolution(nn.Module):
    """A convolution without groups as a product over its windows; padding is the module's own."""

    def __init__(self, convolution: nn.Conv2d, rules: Rules) -> None:
        """Take the weight as [outputs, channels * window]."""
        super().__init__()
        self.product = Product(convolution.weight.detach().flatten(1), convolution.bias, rules)
        self.window, self.stride = convolution.kernel_size, convolution.stride
        self.pad = convolution.pad if hasattr(convolution, "pad") else None
        self.padding = convolution.padding if self.pad is None else 0

    def forward(self, x: Tensor) -> Tensor:
        """Convolve x [B, C, H, W]."""
        x = x if self.pad is None else self.pad(x)
        windows = functional.unfold(x, self.window, padding=self.padding, stride=self.stride)
        height = (x.shape[2] + 2 * self._side(0) - self.window[0]) // self.stride[0] + 1
        return self.product(windows.mT).mT.unflatten(2, (height, -1))

    def _side(self, axis: int) -> int:
        return 0 if self.padding == 0 else self.padding[axis]


def emulate(model: nn.Module, rules: Rules) -> nn.Module:
    """Return a copy of the model that multiplies on the chip; grouped convolutions stay."""
    model = copy.deepcopy(model)
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear):
                setattr(parent, name, Product(child.weight.detach(), child.bias, rules))
            elif isinstance(child, nn.Conv2d) and child.groups == 1:
                setattr(parent, name, Convolution(child, rules))
    return model
