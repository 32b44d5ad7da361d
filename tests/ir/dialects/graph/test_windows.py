"""Counts and views of sliding windows."""

from __future__ import annotations

import numpy as np
import pytest

from sidra.errors import InferenceError
from sidra.ir import dims
from sidra.ir.dialects.graph.windows import pad_last, window_count, windows


def test_counts() -> None:
    assert window_count(7, 3, 2, 0, 1) == 3
    assert window_count(6, 3, 2, 0, 1) == 2
    assert window_count(6, 3, 2, 0, 1, ceil=True) == 3
    assert window_count(3, 2, 2, 1, 1, ceil=True) == 2
    assert window_count(2, 1, 3, 1, 1, ceil=True) == 1  # the second would begin in the padding
    assert str(window_count(dims.symbol("s0"), 3, 2, 1, 1)) == "(s0+1)//2"


def test_refuses_what_has_no_window() -> None:
    with pytest.raises(InferenceError, match="a window of 5 is larger than the input"):
        window_count(4, 3, 1, 0, 2)
    with pytest.raises(InferenceError, match="ceil_mode needs a static size, not s0"):
        window_count(dims.symbol("s0"), 3, 2, 1, 1, ceil=True)


def test_views() -> None:
    view = windows(np.arange(7), [2], [2], [3])
    assert view.tolist() == [[0, 3], [2, 5]]
    assert pad_last(np.ones((1, 2)), [1], [2], 9).tolist() == [[9, 1, 1, 9, 9]]
