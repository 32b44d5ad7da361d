"""A recorded ledger, and a native module that plays it back."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def entries() -> list[dict[str, Any]]:
    return json.loads(Path(__file__).with_name("ledger.json").read_text())


class RecordedNative:
    """What report reads of sidra._C, on a recorded ledger."""

    def __init__(self, entries: list[dict[str, Any]]) -> None:
        self.entries = entries
        self.initialized = True

    def ledger_entries(self) -> list[dict[str, Any]]:
        return [dict(entry) for entry in self.entries]

    def ledger_reset(self) -> None:
        self.entries = []

    def is_initialized(self) -> bool:
        return self.initialized

    def device_count(self) -> int:
        return 1

    def device_properties(self, index: int) -> dict[str, Any]:
        return {"name": "y1", "crossbars": 6400}

    def device_counters(self, index: int) -> dict[str, Any]:
        return {"crossbars_used": 240}


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch, entries: list[dict[str, Any]]) -> RecordedNative:
    recorded = RecordedNative(entries)
    monkeypatch.setitem(sys.modules, "sidra._C", recorded)
    return recorded
