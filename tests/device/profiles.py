"""What the tests of profiles share."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from torch.autograd import DeviceType
from torch.autograd.profiler_util import FunctionEvent
from torch.profiler import ProfilerActivity

BOTH = [ProfilerActivity.CPU, ProfilerActivity.SIDRA]


def chip_events(profiled: Any) -> list[FunctionEvent]:
    """Return the commands of a profile; ranges are left out."""
    return [
        event
        for event in profiled.events()
        if event.device_type == DeviceType.PrivateUse1 and not event.is_user_annotation
    ]


def seconds(events: list[FunctionEvent]) -> float:
    return math.fsum(event.time_range.elapsed_us() for event in events) * 1e-6


def average(profiled: Any, name: str) -> Any:
    """Return the row of the operator `name` in key_averages()."""
    rows = [row for row in profiled.key_averages() if row.key == name]
    assert len(rows) == 1
    return rows[0]


def trace_of(profiled: Any, folder: Path) -> list[dict[str, Any]]:
    """Return the events of the Chrome trace."""
    path = folder / "trace.json"
    profiled.export_chrome_trace(str(path))
    events: list[dict[str, Any]] = json.loads(path.read_text())["traceEvents"]
    return events
