"""Where the parts of the arena lie: offsets from sizes and lifetimes.

Parts are placed one after another, each at the lowest offset that is free for the whole of its
life. The order decides; several are tried, and the best kept: largest first, longest life first,
products of both, and each of these with what reached the top moved to the front. For the lives that
neural networks have this is at, or within a few per cent of, the bound that no arrangement can
beat: the most bytes that are alive at one step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

MAX_REPAIRS = 12  # of each order
ALIGNMENT = 64  # bytes: a cache line, and a vector register


@dataclass(frozen=True)
class Part:
    """Memory that is in use from step `first` to step `last`, both included."""

    size_bytes: int
    first: int
    last: int


@dataclass(frozen=True)
class Arrangement:
    """offsets: of each part, in bytes. size_bytes: of the whole. least_bytes: alive at once."""

    offsets: tuple[int, ...]
    size_bytes: int
    least_bytes: int


def arrange(parts: Sequence[Part]) -> Arrangement:
    """Return offsets such that parts that are alive at one step do not overlap."""
    sizes = [-(-part.size_bytes // ALIGNMENT) * ALIGNMENT for part in parts]
    least = _most_alive(parts, sizes)
    best: tuple[int, list[int]] | None = None
    for rank in _ORDERS:
        order = sorted(range(len(parts)), key=lambda i: (rank(parts[i], sizes[i]), i))
        for _ in range(MAX_REPAIRS):
            found = _place(order, parts, sizes)
            best = found if best is None or found[0] < best[0] else best
            if best[0] == least:
                return Arrangement(tuple(best[1]), best[0], least)
            # Those that reach the top come first in the next try.
            top = {i for i in order if found[1][i] + sizes[i] == found[0]}
            order = [i for i in order if i in top] + [i for i in order if i not in top]
    assert best is not None
    return Arrangement(tuple(best[1]), best[0], least)


_ORDERS: tuple[Callable[[Part, int], tuple[int, ...]], ...] = (
    lambda part, size: (-size, part.first),
    lambda part, size: (-(part.last - part.first), -size),
    lambda part, size: (-size * (1 + part.last - part.first), part.first),
    lambda part, size: (-size, part.last - part.first),
    lambda part, size: (part.first, -size),
    lambda part, size: (-part.last, -size),
)


def _place(order: Sequence[int], parts: Sequence[Part], sizes: list[int]) -> tuple[int, list[int]]:
    """Return the whole size and each offset, when parts are placed in an order."""
    offsets = [0] * len(parts)
    placed: list[int] = []
    for i in order:
        if sizes[i]:
            offsets[i] = _lowest(i, parts, sizes, offsets, placed)
            placed.append(i)
    return max((offsets[i] + sizes[i] for i in placed), default=0), offsets


def _lowest(
    i: int, parts: Sequence[Part], sizes: list[int], offsets: list[int], placed: list[int]
) -> int:
    """Return the lowest offset at which part i is free of those placed."""
    taken = sorted(
        (offsets[j], offsets[j] + sizes[j])
        for j in placed
        if parts[j].first <= parts[i].last and parts[i].first <= parts[j].last
    )
    at = 0
    for begin, end in taken:
        if begin - at >= sizes[i]:
            break
        at = max(at, end)
    return at


def _most_alive(parts: Sequence[Part], sizes: list[int]) -> int:
    changes: dict[int, int] = {}
    for part, size in zip(parts, sizes, strict=True):
        changes[part.first] = changes.get(part.first, 0) + size
        changes[part.last + 1] = changes.get(part.last + 1, 0) - size
    alive = most = 0
    for step in sorted(changes):
        alive += changes[step]
        most = max(most, alive)
    return most
