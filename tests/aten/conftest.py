"""What the operators' tests share: the device, the chip's reference, the ledger."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
import torch

import sidra
from sidra import chip
from sidra.chip import ChipSpec

sys.path[:0] = [str(Path(__file__).parents[1] / "numerics"), str(Path(__file__).parent)]


@pytest.fixture(scope="session", autouse=True)
def device() -> ModuleType:
    """`torch.sidra`, with the chip `y1`: the suite's results are defined by its contract."""
    sidra.register_pytorch_backend()
    module: ModuleType = torch.sidra
    assert module.get_device_properties(0).name == "y1"
    return module


@pytest.fixture(scope="session")
def spec() -> ChipSpec:
    return chip.preset("y1")


@pytest.fixture
def ledger() -> Callable[[], dict[tuple[str, str], int]]:
    """Calls per (operator, place) since the test began."""
    from sidra import _C

    _C.ledger_reset()

    def read() -> dict[tuple[str, str], int]:
        return {(row["operator"], row["place"]): row["calls"] for row in _C.ledger_entries()}

    return read


@pytest.fixture(autouse=True)
def quiet_fallback() -> Iterator[None]:
    from sidra import _C

    before = _C.fallback_mode()
    _C.set_fallback_mode("silent")
    yield
    _C.set_fallback_mode(before)
