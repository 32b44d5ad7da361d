"""Sliding windows over the last dims: the sizes and views that convolutions and pools share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sidra.errors import InferenceError
from sidra.ir.dialects.graph.inference import require
from sidra.ir.dims import Dimension, ceildiv


def window_count(
    size: Dimension, kernel: Dimension, stride: int, padding: int, dilation: int, ceil: bool = False
) -> Dimension:
    """How many windows there are along one dim. Raises InferenceError if there is none.

    ceil: a last window may reach over the end, but must begin before the padding at the end.
    """
    room = size + 2 * padding - dilation * (kernel - 1) - 1
    if isinstance(room, int):
        require(room >= 0, f"a window of {dilation * (kernel - 1) + 1} is larger than the input")
    if not ceil:
        return room // stride + 1
    count = ceildiv(room, stride) + 1
    if not isinstance(count, int) or not isinstance(size, int):
        raise InferenceError(f"ceil_mode needs a static size, not {size}")
    return count - 1 if (count - 1) * stride >= size + padding else count


def windows(x: Any, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> Any:
    """Return a view [.., windows.., kernel..] over the last dims of x, which is padded already."""
    rank = len(kernel)
    spans = [d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True)]
    view = np.lib.stride_tricks.sliding_window_view(x, spans, axis=tuple(range(-rank, 0)))
    steps: list[Any] = [slice(None, None, s) for s in (*stride, *dilation)]
    index: Any = (..., *steps)
    return view[index]


def pad_last(x: Any, low: Sequence[int], high: Sequence[int], value: Any) -> Any:
    """X with `low` and `high` elements of `value` around its last dims."""
    widths = [(0, 0)] * (x.ndim - len(low)) + list(zip(low, high, strict=True))
    return np.pad(x, widths, constant_values=value)
