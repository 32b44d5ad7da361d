"""Functions made at random from operators that the compiler has, for comparison with eager."""

from __future__ import annotations

import random

import torch
from torch.nn import functional as F

UNARY = [
    torch.tanh, torch.sigmoid, torch.relu, torch.neg, torch.abs, F.gelu, F.silu, torch.sin,
    lambda x: torch.exp(x.clamp(max=3)), lambda x: x * 0.5 + 1, lambda x: x.clamp(-1, 1),
    lambda x: torch.rsqrt(x.abs() + 1), lambda x: torch.where(x > 0, x, x * 0.1),
]  # fmt: skip
BINARY = [
    torch.add, torch.sub, torch.mul, torch.maximum, torch.minimum,
    lambda a, b: a / (b.abs() + 1),
]  # fmt: skip
SMALL = 3000  # elements up to which a step may add some


def every(dim, start, step):
    """A selection of every step-th element along a dim."""
    return (*(slice(None),) * dim, slice(start, None, step))


def grown(v, make):
    return make(v) if v.numel() < SMALL else v


class Maker:
    """Draws one function; the same for the same seed."""

    def __init__(self, seed):
        self.draw = random.Random(seed)

    def shape_step(self, x):
        draw = self.draw
        dim = draw.randrange(x.dim())
        order = draw.sample(range(x.dim()), x.dim())
        chosen = every(dim, draw.choice([0, 1]), draw.choice([1, 1, 2]))
        kinds = [
            lambda v: v.permute(order),
            lambda v: v.unsqueeze(dim) if v.dim() < 4 else v,
            lambda v: grown(v, lambda v: torch.cat([v, v * 2], dim)),
            lambda v: grown(v, lambda v: F.pad(v, (1, 0), value=0.5)),
            lambda v: v.flip(dim),
        ]
        if x.shape[dim] > 2:
            kinds.append(lambda v: v[chosen])
        if x.dim() > 1 and x.numel():
            kinds += [lambda v: v.flatten(0, 1), lambda v: v.flatten(-2)]
        return draw.choice(kinds)

    def row_step(self, x):
        draw = self.draw
        dim, keep = draw.randrange(x.dim()), draw.choice([True, False])
        kinds = [
            lambda v: torch.softmax(v, dim),
            lambda v: F.layer_norm(v, v.shape[-1:]),
            lambda v: v - v.mean(dim, keepdim=True),
            lambda v: v / (v.sum(dim, keepdim=True).abs() + 1),
            lambda v: v + v.amax(dim, keepdim=True),
            lambda v: torch.log_softmax(v, dim),
        ]
        if x.dim() > 1:
            kinds.append(lambda v: v.sum(dim, keepdim=keep))
            kinds.append(lambda v: v.var(dim, correction=0, keepdim=keep))
        return draw.choice(kinds)

    def build(self, inputs):
        """Return a function of the inputs, which are run through as it is drawn."""
        values = list(inputs)
        plan = []
        for _ in range(self.draw.randrange(4, 14)):
            kind = self.draw.random()
            i = self.draw.randrange(len(values))
            x = values[i]
            if kind < 0.35 or x.dim() == 0:
                step, operands = self.draw.choice(UNARY), (i,)
            elif kind < 0.6:
                fitting = [j for j, y in enumerate(values) if self.broadcasts(x, y)]
                step, operands = self.draw.choice(BINARY), (i, self.draw.choice(fitting))
            elif kind < 0.8:
                step, operands = self.shape_step(x), (i,)
            else:
                step, operands = self.row_step(x), (i,)
            plan.append((step, operands))
            values.append(step(*(values[j] for j in operands)))
        results = sorted(self.draw.sample(range(len(inputs), len(values)), k=min(3, len(plan))))

        def function(*given):
            found = list(given)
            for step, operands in plan:
                found.append(step(*(found[j] for j in operands)))
            return tuple(found[j] for j in results)

        return function

    @staticmethod
    def broadcasts(a, b):
        try:
            return torch.broadcast_shapes(a.shape, b.shape).numel() < 20000
        except RuntimeError:
            return False


def inputs(seed):
    draw = random.Random(seed + 1000)
    generator = torch.Generator().manual_seed(seed)
    b, n, w = draw.choice([1, 2, 3]), draw.choice([1, 4, 7]), draw.choice([1, 5, 16, 33])
    shapes = [(b, n, w), (w,), (n, 1), (b, 1, w)]
    return [torch.randn(shape, generator=generator) for shape in shapes]
