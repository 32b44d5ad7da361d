"""Arrangements: no overlap, aligned, near the bound that nothing can beat."""

from __future__ import annotations

import random

import pytest

from sidra.compiler.arena import ALIGNMENT, Part, arrange


def parts_of_a_network(seed):
    """Chains with long-lived residuals, as transformers have them."""
    draw = random.Random(seed)
    parts = []
    for step in range(120):
        life = draw.choice([1, 1, 1, 2, 2, 3, 8, 30])
        size = draw.choice([1, 64, 100, 4096, 3 * 4096, 4 * 4096])
        parts.append(Part(size * draw.choice([1, 1, 7]), step, min(step + life, 130)))
    return parts


@pytest.mark.parametrize("seed", range(40))
def test_nothing_overlaps_and_little_is_wasted(seed):
    parts = parts_of_a_network(seed)
    found = arrange(parts)
    for i, a in enumerate(parts):
        assert found.offsets[i] % ALIGNMENT == 0
        assert found.offsets[i] + a.size_bytes <= found.size_bytes
        for j, b in enumerate(parts[:i]):
            if a.first <= b.last and b.first <= a.last:
                apart = (
                    found.offsets[i] + a.size_bytes <= found.offsets[j]
                    or found.offsets[j] + b.size_bytes <= found.offsets[i]
                )
                assert apart
    assert found.least_bytes <= found.size_bytes <= 1.1 * found.least_bytes


def test_nothing_takes_nothing():
    assert arrange([]).size_bytes == 0
    assert arrange([Part(0, 0, 5)]).size_bytes == 0
