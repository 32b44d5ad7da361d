"""What ran where, as data: rows per operator and place, and the chips they ran on.

Times are chip time and energies the chip's, both simulated; host time is not in here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

PLACES = ("crossbar", "compute_engine", "host")


@dataclass(frozen=True)
class Row:
    """Everything that one operator did in one place since the last reset."""

    operator: str
    place: str  # one of PLACES
    reason: str  # why a fallback ran on the host; "" otherwise
    calls: int
    bytes_moved: int  # between host and chip
    copied_bytes: int  # by a host that could not work in place, both ways
    chip_seconds: float
    joules: float  # sum of the parts at work
    datasheet_joules: float  # the data sheet's power times chip_seconds

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any]) -> Row:
        """Make a row of a ledger entry; keys that are not fields are ignored."""
        return cls(**{field.name: entry[field.name] for field in fields(cls)})

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes a row a row."""
        return (self.operator, self.place, self.reason)

    @property
    def is_fallback(self) -> bool:
        """The host ran it because nothing on the chip could."""
        return self.place == "host" and self.reason != ""


@dataclass(frozen=True)
class Totals:
    """Sums over rows."""

    calls: int
    bytes_moved: int
    copied_bytes: int
    chip_seconds: float
    joules: float
    datasheet_joules: float


@dataclass(frozen=True)
class Chip:
    """A device, and how much of it holds weights now."""

    device: str  # "sidra:0"
    name: str  # of the chip, "y1"
    crossbars: int
    crossbars_used: int


@dataclass(frozen=True)
class Report:
    """Rows, most chip time first, and the chips. Printing it shows a table."""

    rows: tuple[Row, ...]
    chips: tuple[Chip, ...] = ()

    @classmethod
    def from_entries(
        cls, entries: Iterable[Mapping[str, Any]], chips: Iterable[Chip] = ()
    ) -> Report:
        """Make a report of ledger entries as `sidra._C.ledger_entries()` returns them."""
        rows = sorted(
            map(Row.from_entry, entries), key=lambda row: (-row.chip_seconds, -row.calls, row.key)
        )
        return cls(tuple(rows), tuple(chips))

    def totals(self, place: str | None = None) -> Totals:
        """Sum over all rows, or over those of one place."""
        rows = [row for row in self.rows if place in (None, row.place)]
        return Totals(
            calls=sum(row.calls for row in rows),
            bytes_moved=sum(row.bytes_moved for row in rows),
            copied_bytes=sum(row.copied_bytes for row in rows),
            chip_seconds=math.fsum(row.chip_seconds for row in rows),
            joules=math.fsum(row.joules for row in rows),
            datasheet_joules=math.fsum(row.datasheet_joules for row in rows),
        )

    @property
    def fallbacks(self) -> tuple[Row, ...]:
        """What ran on the host for want of anything better, with the reason."""
        return tuple(row for row in self.rows if row.is_fallback)

    def since(self, before: Report) -> Report:
        """Return what was added after `before`, an earlier report of the same ledger."""
        old = {row.key: row for row in before.rows}
        added = (_subtract(row, old[row.key]) if row.key in old else row for row in self.rows)
        entries = [asdict(row) for row in added if row.calls > 0]
        return Report.from_entries(entries, self.chips)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: rows, totals by place and in all, chips. SI units."""
        places = {place: asdict(self.totals(place)) for place in PLACES}
        return {
            "rows": [asdict(row) for row in self.rows],
            "totals": {"all": asdict(self.totals()), **places},
            "chips": [asdict(chip) for chip in self.chips],
        }

    def to_json(self, indent: int | None = 2) -> str:
        """Return `to_dict` as JSON text."""
        return json.dumps(self.to_dict(), indent=indent)

    def print(self) -> None:
        """Write the table to the terminal, in colour where it can."""
        from sidra.report.table import print_report

        print_report(self)

    def __str__(self) -> str:
        from sidra.report.table import render_report

        return render_report(self)

    __repr__ = __str__


def _subtract(row: Row, old: Row) -> Row:
    numbers = ("calls", "bytes_moved", "copied_bytes", "chip_seconds", "joules", "datasheet_joules")
    return Row(*row.key, *(getattr(row, name) - getattr(old, name) for name in numbers))
