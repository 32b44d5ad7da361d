from __future__ import annotations

import pytest

from sidra.report.scale import format_bytes, format_joules, format_seconds


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 s"),
        (2.0, "2 s"),
        (1.5e-3, "1.5 ms"),
        (15e-9, "15 ns"),
        (0.9999, "1 s"),
        (999.7e-6, "1 ms"),
        (123.4e-6, "123 us"),
        (2e-14, "0.02 ps"),
        (-3e-6, "-3 us"),
    ],
)
def test_seconds_have_three_digits_and_the_fitting_prefix(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


def test_joules_have_their_unit() -> None:
    assert format_joules(150e-12) == "150 pJ"


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (1023, "1023 B"), (2048, "2 KiB"), (3 << 30, "3 GiB"), (5 << 40, "5120 GiB")],
)
def test_bytes_are_binary_multiples(count: int, text: str) -> None:
    assert format_bytes(count) == text
