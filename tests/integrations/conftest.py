"""What the libraries' tests share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
import torch


@pytest.fixture(autouse=True)
def quiet_and_single_threaded() -> Iterator[None]:
    from sidra import _C

    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    before, threads = _C.fallback_mode(), torch.get_num_threads()
    _C.set_fallback_mode("silent")
    torch.set_num_threads(1)
    yield
    _C.set_fallback_mode(before)
    torch.set_num_threads(threads)


@pytest.fixture
def ledger() -> Callable[[], dict[tuple[str, str], int]]:
    """Calls per (operator, place) since the test began."""
    from sidra import _C

    _C.ledger_reset()

    def read() -> dict[tuple[str, str], int]:
        return {(row["operator"], row["place"]): row["calls"] for row in _C.ledger_entries()}

    return read
