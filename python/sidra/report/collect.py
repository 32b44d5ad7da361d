"""Reading the ledger and the counters of the process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sidra.report.record import Chip, Report


class Recording:
    """What ran inside a `recording()` block; `report` is complete when the block has ended."""

    report: Report = Report(())


def read_report(*, reset: bool = False) -> Report:
    """Return what ran where since the start, or since the last reset; with `reset`, start anew."""
    native = _native()
    if native is None:
        return Report(())
    report = Report.from_entries(native.ledger_entries(), _chips(native))
    if reset:
        native.ledger_reset()
    return report


def reset_report() -> None:
    """Forget what ran so far."""
    native = _native()
    if native is not None:
        native.ledger_reset()


@contextmanager
def recording() -> Iterator[Recording]:
    """Collect what runs inside the block, and leave the ledger of the process as it is."""
    result = Recording()
    before = read_report()
    try:
        yield result
    finally:
        result.report = read_report().since(before)


def _native() -> Any:
    """Return the native module if the device was loaded. Loading it here would need torch."""
    return sys.modules.get("sidra._C")


def _chips(native: Any) -> Iterator[Chip]:
    if not native.is_initialized():  # asking would open the driver
        return
    for index in range(native.device_count()):
        properties = native.device_properties(index)
        used = native.device_counters(index)["crossbars_used"]
        yield Chip(f"sidra:{index}", properties["name"], properties["crossbars"], used)
