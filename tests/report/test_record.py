from __future__ import annotations

import json
from typing import Any

import pytest

from sidra.report import Chip, Report

Entries = list[dict[str, Any]]
CHIP = Chip("sidra:0", "y1", 6400, 240)


def test_rows_come_with_most_chip_time_first(entries: Entries) -> None:
    report = Report.from_entries(reversed(entries))
    assert [row.operator for row in report.rows] == [
        "aten::addmm",
        "aten::gelu",
        "aten::copy_",
        "aten::linalg_qr",
    ]


def test_totals_are_sums_by_place_and_in_all(entries: Entries) -> None:
    report = Report.from_entries(entries)
    assert report.totals("host").calls == 5
    assert report.totals("host").bytes_moved == 8192 + 4096
    assert report.totals().chip_seconds == pytest.approx(2.855e-4)
    places = [report.totals(place) for place in ("crossbar", "compute_engine", "host")]
    assert sum(total.joules for total in places) == pytest.approx(report.totals().joules)


def test_a_fallback_is_a_host_row_with_a_reason(entries: Entries) -> None:
    assert [row.operator for row in Report.from_entries(entries).fallbacks] == ["aten::linalg_qr"]


def test_since_keeps_only_what_was_added(entries: Entries) -> None:
    before = Report.from_entries(entries[:2])
    grown = [{**entries[0], "calls": 40, "chip_seconds": 3.0e-4}, *entries[1:3]]
    added = Report.from_entries(grown).since(before)
    assert [(row.operator, row.calls) for row in added.rows] == [
        ("aten::addmm", 4),
        ("aten::linalg_qr", 2),
    ]
    assert added.rows[0].chip_seconds == pytest.approx(6.0e-5)


def test_json_holds_rows_totals_and_chips(entries: Entries) -> None:
    read = json.loads(Report.from_entries(entries, [CHIP]).to_json())
    assert read["rows"][0]["operator"] == "aten::addmm"
    assert read["totals"]["crossbar"]["calls"] == 36
    assert read["totals"]["all"]["calls"] == 47
    assert read["chips"] == [
        {"device": "sidra:0", "name": "y1", "crossbars": 6400, "crossbars_used": 240}
    ]


def test_entry_without_a_field_is_refused(entries: Entries) -> None:
    del entries[0]["joules"]
    with pytest.raises(KeyError, match="joules"):
        Report.from_entries(entries)
