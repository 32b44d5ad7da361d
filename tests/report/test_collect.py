from __future__ import annotations

import sys

import pytest

import sidra
from sidra.report import Report


def test_calling_the_package_reads_the_ledger(native: object) -> None:
    report = sidra.report()
    assert isinstance(report, Report)
    assert len(report.rows) == 4
    assert report.chips[0].crossbars_used == 240


def test_reset_starts_anew(native: object) -> None:
    assert len(sidra.report(reset=True).rows) == 4
    assert sidra.report().rows == ()


def test_reset_report_forgets(native: object) -> None:
    sidra.reset_report()
    assert sidra.report().rows == ()


def test_recording_holds_the_block_and_leaves_the_ledger(native) -> None:
    with sidra.recording() as recorded:
        native.entries[0]["calls"] += 5
    assert [(row.operator, row.calls) for row in recorded.report.rows] == [("aten::addmm", 5)]
    assert sidra.report().totals().calls == 52


def test_recording_is_complete_when_the_block_raises(native) -> None:
    def fail() -> None:
        native.entries[1]["calls"] += 1
        raise ValueError("of the user")

    with pytest.raises(ValueError, match="of the user"), sidra.recording() as recorded:
        fail()
    assert recorded.report.totals().calls == 1


def test_report_does_not_open_the_driver(native) -> None:
    native.initialized = False
    assert sidra.report().chips == ()


def test_report_without_the_device_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sidra._C", raising=False)
    assert sidra.report().rows == ()
    sidra.reset_report()
