"""What the libraries' tests share."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

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


@pytest.fixture
def launch() -> Callable[..., list[str]]:
    """Run launched.py with two devices; return what its processes printed, sorted."""

    def run(*options: str) -> list[str]:
        settings = {"SIDRA_DEVICES": "2", "SIDRA_FALLBACK": "silent", "OMP_NUM_THREADS": "1"}
        options = tuple(
            str(Path(__file__).with_name(option)) if option.endswith(".py") else option
            for option in options
        )
        done = subprocess.run(
            [sys.executable, *options],
            env=os.environ | settings,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return sorted(line for line in done.stdout.splitlines() if line.startswith("sidra:"))

    return run
