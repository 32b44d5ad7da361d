"""Positions: digits cut and joined, where sizes fit and where they do not."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from running import evaluate

SHAPES = [(24,), (2, 12), (3, 8), (4, 6), (2, 3, 4), (4, 3, 2), (6, 4), (8, 3)]


@pytest.mark.parametrize(("before", "after"), list(itertools.product(SHAPES, SHAPES)))
def test_any_shape_between_permutes(before, after):
    order = tuple(reversed(range(len(after))))

    def write(op, x):
        turned = op("permute", x, dims=tuple(reversed(range(len(before)))))
        return op("permute", op("reshape", turned, shape=after), dims=order)

    x = np.arange(24, dtype=np.float32).reshape(before)
    text = ", ".join(map(str, before))
    (got,), (want,) = evaluate([f"f32[{text}]"], write, [x])
    assert np.array_equal(got, want)


def test_symbolic_digits():
    def write(op, x):
        turned = op("permute", x, dims=(0, 2, 1, 3))
        s0, s1 = x.type.shape[:2]
        return op("reshape", turned, shape=(s0, 3, s1 * 5))

    x = np.arange(2 * 4 * 3 * 5, dtype=np.float32).reshape(2, 4, 3, 5)
    (got,), (want,) = evaluate(["f32[s0, s1, 3, 5]"], write, [x], {"s0": 2, "s1": 4})
    assert np.array_equal(got, want)
