"""The rules for the input and ADC ranges that were tried; docs/decisions/004 says which was taken.

`q` are the levels of one output in one row tile, `u` the codes of a vector less zero, K the inputs.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from emulate import InputRule, RangeRule, Rules
from torch import Tensor

from sidra.chip import preset

LIMIT, ROWS = 255, preset("y1").input_norm_rows


def symmetric(x: Tensor) -> tuple[Tensor, Tensor]:
    """Codes of -127 to 127 over plus and minus the greatest magnitude."""
    step = x.abs().amax(1, keepdim=True) / 127
    step = torch.where(step == 0, torch.ones_like(step), step)
    return (x / step).round(), step


def encode(x: Tensor, low: Tensor, span: Tensor) -> tuple[Tensor, Tensor]:
    """Codes of 0 to 255 over [low, low + span], less the code of 0.0; low and span [M, 1] f64."""
    span = torch.where(span == 0, torch.ones_like(span), span)
    inverse = (LIMIT / span).float()
    zero = (-low.float() * inverse).round()
    return ((x * inverse).round() + zero).clamp(0, LIMIT) - zero, (span / LIMIT).float()


def bounds(x: Tensor) -> tuple[Tensor, Tensor]:
    """Least and greatest element and zero [M, 1] f64."""
    return x.amin(1, True).clamp(max=0).double(), x.amax(1, True).clamp(min=0).double()


def own_range(x: Tensor) -> tuple[Tensor, Tensor]:
    """Codes of 0 to 255 from the vector's least to its greatest element."""
    low, high = bounds(x)
    return encode(x, low, high - low)


def clipped_range(deviations: float) -> InputRule:
    """Own range, but elements further from the mean than so many deviations are clipped."""

    def rule(x: Tensor) -> tuple[Tensor, Tensor]:
        low, high = bounds(x)
        mean, reach = x.mean(1, True).double(), deviations * x.std(1, keepdim=True).double()
        low, high = torch.maximum(low, mean - reach), torch.minimum(high, mean + reach)
        return encode(x, low.clamp(max=0), high.clamp(min=0) - low.clamp(max=0))

    return rule


def bounded_norm(rows: int = ROWS) -> InputRule:
    """Own range, widened until the sum of u^2 is at most 255^2 on one row in so many."""

    def rule(x: Tensor) -> tuple[Tensor, Tensor]:
        low, high = bounds(x)
        most = LIMIT**2 * max(x.shape[1], rows) / rows
        norm = x.square().sum(1, True).double().sqrt()
        return encode(x, low, torch.maximum(high - low, LIMIT * norm / math.sqrt(most)))

    return rule


def norm_of(tiles: list[Tensor]) -> Tensor:
    """Greatest ||q|| of the row tiles."""
    return torch.stack([tile.norm(dim=1) for tile in tiles]).amax(0)


def constant(factor: float) -> RangeRule:
    """`factor` times 127 times ||q||."""
    return lambda tiles, inputs: factor * 127 * norm_of(tiles)


def normal_inputs(sigmas: float, mean: float = 0.0) -> RangeRule:
    """Deviations of the sum when K normal inputs, which span 2 sqrt(2 ln K), fill all codes."""

    def rule(tiles: list[Tensor], inputs: int) -> Tensor:
        deviation = LIMIT / (2 * math.sqrt(2 * math.log(inputs)))
        net = torch.stack([tile.sum(1).abs() for tile in tiles]).amax(0)
        sides = [torch.maximum(t.clamp(min=0).sum(1), t.clamp(max=0).neg().sum(1)) for t in tiles]
        expected = sigmas * deviation * (norm_of(tiles) ** 2 + (mean * net) ** 2).sqrt()
        return torch.minimum(expected, LIMIT * torch.stack(sides).amax(0))

    return rule


def norm_bound(sigmas: float = 5.0, mean: float = 0.35, rows: int = ROWS) -> RangeRule:
    """Root mean squares of the sum when u has the greatest norm `bounded_norm` allows."""

    def of_tile(tile: Tensor, inputs: int) -> Tensor:
        squares, total = tile.double().square().sum(1), tile.double().sum(1)
        return torch.minimum(sigmas**2 * (squares + (mean * total) ** 2), inputs * squares)

    def rule(tiles: list[Tensor], inputs: int) -> Tensor:
        greatest = torch.stack([of_tile(tile, inputs) for tile in tiles]).amax(0)
        return (LIMIT**2 / min(inputs, rows) * greatest).sqrt().float()

    return rule


def chosen(sigmas: float = 5.0, mean: float = 0.35, rows: int = ROWS) -> Rules:
    """Return the chip's rule, or one near it."""
    name = f"norm bounded: rows {rows}, sigmas {sigmas:g}, mean {mean:g}"
    return Rules(name, bounded_norm(rows), norm_bound(sigmas, mean, rows))


def _rules(label: str, inputs: InputRule, rules: dict[str, RangeRule | None]) -> list[Rules]:
    return [Rules(f"{label}, {name}", inputs, rule) for name, rule in rules.items()]


def compared() -> list[Rules]:
    """Return what the decision compares, the chip's rule last."""
    none: dict[str, RangeRule | None] = {"no ADC": None}
    constants = {f"{f:g} x 127 norm(q)": constant(f) for f in (0.75, 1.0, 1.5, 4.0)}
    normal = {"4 deviations of normal": normal_inputs(4)}
    normal |= {"3.5 deviations, mean 0.85": normal_inputs(3.5, 0.85)}
    return [
        *_rules("symmetric", symmetric, none | {"0.75 x 127 norm(q)": constant(0.75)}),
        *_rules("own range", own_range, none | constants | normal),
        *_rules("clipped at 8 deviations", clipped_range(8), none),
        *_rules("norm bounded", bounded_norm(), none),
        chosen(),
    ]


def near_the_chosen() -> list[Rules]:
    """Return the chosen rule with one constant changed at a time."""
    sigmas = [chosen(sigmas=value) for value in (4.0, 4.5, 5.5, 6.0)]
    means = [chosen(mean=value) for value in (0.0, 0.25, 0.5)]
    rows = [chosen(rows=value) for value in (64, 100, 256)]
    return [chosen(), *sigmas, *means, *rows]


LISTS: dict[str, Callable[[], list[Rules]]] = {"compared": compared, "near": near_the_chosen}
