"""Element types of PyTorch and of the IR."""

from __future__ import annotations

import torch

from sidra.frontend.dtypes import FROM_TORCH, TO_TORCH
from sidra.ir.types import DTYPES


def test_each_has_one_of_the_other():
    assert set(FROM_TORCH.values()) == set(DTYPES.values())
    assert all(TO_TORCH[FROM_TORCH[dtype]] is dtype for dtype in FROM_TORCH)
    assert all(FROM_TORCH[dtype].size == dtype.itemsize for dtype in FROM_TORCH)
    assert torch.float8_e4m3fn not in FROM_TORCH
