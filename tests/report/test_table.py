from __future__ import annotations

import re
from typing import Any

import pytest

from sidra.report import Chip, Report

CHIP = Chip("sidra:0", "y1", 6400, 240)


def test_table_shows_each_row_the_totals_and_the_crossbars(entries: list[dict[str, Any]]) -> None:
    text = str(Report.from_entries(entries, [CHIP]))
    gemm = next(line for line in text.splitlines() if "aten::addmm" in line)
    assert re.split(r"  +", gemm.strip()) == [
        "aten::addmm",
        "crossbar",
        "36",
        "240 us",
        "310 uJ",
        "720 uJ",
        "0 B",
    ]
    total = next(line for line in text.splitlines() if "total" in line)
    assert "47" in total
    assert "286 us" in total
    assert "12 KiB" in total
    assert "sidra:0 (y1): crossbars used 240 of 6,400" in text


def test_fallbacks_are_listed_with_their_reason(entries: list[dict[str, Any]]) -> None:
    text = str(Report.from_entries(entries))
    assert "aten::linalg_qr (2 calls): no implementation on the chip" in text
    assert "No operator fell back" in str(Report.from_entries(entries[:2]))


def test_empty_report_says_so() -> None:
    assert str(Report(())) == "Nothing has run on a sidra device."


def test_repr_and_print_show_the_table(
    entries: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    report = Report.from_entries(entries)
    assert repr(report) == str(report)
    report.print()
    assert "What ran where" in capsys.readouterr().out
