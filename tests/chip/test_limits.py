"""Every numeric field of the chip has a legal range, and nothing else has."""

from __future__ import annotations

from dataclasses import fields

import pytest

from sidra.chip import ChipSpec, limits

NUMERIC = [field for field in fields(ChipSpec) if field.type in ("int", "float")]


@pytest.mark.parametrize("field", [field.name for field in NUMERIC])
def test_numeric_field_has_a_range_with_unit(field: str) -> None:
    limit = limits.limit_of(field)
    assert limit.low < limit.high
    assert limit.unit


def test_no_range_without_a_field() -> None:
    assert set(limits._SPECIAL) <= {field.name for field in NUMERIC}
    assert set(limits._WORDS) <= {field.name for field in fields(ChipSpec)}


def test_field_without_range_is_named() -> None:
    with pytest.raises(KeyError, match="chip field wavelength has neither"):
        limits.limit_of("wavelength")


def test_longest_unit_wins() -> None:
    assert limits.limit_of("any_bytes_per_second").unit == "byte/s"
    assert limits.limit_of("any_seconds").unit == "s"
