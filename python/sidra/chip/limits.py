"""Legal ranges of the fields of `ChipSpec`.

A field with a unit at the end of its name has the range of that unit, so a new `..._seconds` field
needs nothing here. Fields with a range of their own stand in `_SPECIAL`; words in `_WORDS`.
Bounds keep the arithmetic of the contract inside its types (docs/numerics.md) and refuse values
that are surely a slip of the unit; they are not claims about hardware.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from sidra.errors import ConfigurationError


@dataclass(frozen=True)
class Limit:
    """A closed range of numbers; integers also a multiple of `step`."""

    low: float
    high: float
    unit: str
    step: int = 1

    def __str__(self) -> str:
        multiple = f", a multiple of {self.step}" if self.step > 1 else ""
        return f"{self.low:g} to {self.high:g} {self.unit}{multiple}"


_COUNT = Limit(1, 1_000_000, "(a count)")

_UNITS = {
    "_seconds": Limit(0, 1, "s"),
    "_joules": Limit(0, 1, "J"),
    "_joules_per_byte": Limit(0, 1, "J/byte"),
    "_bytes_per_second": Limit(1, 1e15, "byte/s"),
    "_watts": Limit(0, 1e6, "W"),
    "_volts": Limit(-10, 10, "V"),
    "_hertz": Limit(1, 1e12, "Hz"),
}

_SPECIAL = {
    "clusters": _COUNT,
    "compute_units_per_cluster": _COUNT,
    "crossbars_per_compute_unit": _COUNT,
    # Rows: microkernels take four at a time; 4096 * 255 * 127 stays far inside int32.
    "crossbar_rows": Limit(4, 4096, "word lines", step=4),
    "crossbar_columns": Limit(1, 4096, "bit lines"),
    "weight_levels": Limit(4, 256, "levels", step=2),
    "memory_bytes": Limit(1 << 20, 1 << 46, "bytes"),
    "dac_bits": Limit(1, 8, "bits"),
    "adc_bits": Limit(0, 16, "bits (1 is refused: no code is left beside the sign)"),
    "input_norm_rows": Limit(1, 1_000_000, "word lines"),
    "adc_full_scale_sigmas": Limit(1e-3, 1e6, "(dimensionless)"),
    "adc_full_scale_mean": Limit(0, 1e3, "(dimensionless)"),
    "ispp_width_factor": Limit(1, 100, "(dimensionless)"),
    "engine_lanes": Limit(1, 65_536, "lanes"),
    "ispp_max_iterations": Limit(1, 10_000, "pulses"),
    "ispp_mean_iterations": Limit(1, 10_000, "pulses"),
    "ispp_tolerance": Limit(0, 1, "(of full scale)"),
    "endurance_writes": Limit(1, 10**18, "writes"),
}

_WORDS = {
    "converters_per": ("compute_unit", "crossbar"),
    "weight_encoding": ("offset", "differential"),
}

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")  # fits the 64 bytes of the driver's name


def limit_of(field: str) -> Limit:
    """Return the range of a numeric field. Raises KeyError for a field without one."""
    if field in _SPECIAL:
        return _SPECIAL[field]
    fits = [suffix for suffix in _UNITS if field.endswith(suffix)]
    if not fits:
        raise KeyError(f"chip field {field} has neither a unit in its name nor a limit")
    return _UNITS[max(fits, key=len)]


def check_field(field: str, kind: str, value: object) -> None:
    """Refuse a value that `field` of declared type `kind` cannot have.

    Raises ConfigurationError with the field, the value and the legal range.
    """
    if kind == "bool":
        _require(isinstance(value, bool), field, value, "True or False")
    elif kind == "str":
        _check_word(field, value)
    else:
        _check_number(field, kind, value)


def _check_word(field: str, value: object) -> None:
    if field in _WORDS:
        _require(value in _WORDS[field], field, value, " or ".join(map(repr, _WORDS[field])))
    else:
        legal = "1 to 63 letters, digits, '_', '.' or '-', the first a letter or digit"
        _require(isinstance(value, str) and bool(_NAME.fullmatch(value)), field, value, legal)


def _check_number(field: str, kind: str, value: object) -> None:
    limit = limit_of(field)
    noun = "an integer" if kind == "int" else "a number"
    legal = f"{noun} of {limit}"
    types = (int,) if kind == "int" else (int, float)
    if isinstance(value, bool) or not isinstance(value, types):
        raise _refusal(field, value, legal)
    inside = math.isfinite(value) and limit.low <= value <= limit.high
    stepped = kind != "int" or value % limit.step == 0
    _require(inside and stepped and (field, value) != ("adc_bits", 1), field, value, legal)


def _require(legal: bool, field: str, value: object, expected: str) -> None:
    if not legal:
        raise _refusal(field, value, expected)


def _refusal(field: str, value: object, expected: str) -> ConfigurationError:
    return ConfigurationError(f"chip field {field} = {value!r}: must be {expected}")
