"""SI values as people read them: the only place where units are scaled."""

from __future__ import annotations

_PREFIXES = ((1.0, ""), (1e-3, "m"), (1e-6, "u"), (1e-9, "n"), (1e-12, "p"))


def format_seconds(seconds: float) -> str:
    """`0.0021` -> `2.1 ms`."""
    return _format(seconds, "s")


def format_joules(joules: float) -> str:
    """`1.5e-10` -> `150 pJ`."""
    return _format(joules, "J")


def format_bytes(count: float) -> str:
    """`2048` -> `2 KiB`."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{_three_digits(count)} {unit}"
        count /= 1024
    raise AssertionError("unreachable")


def _format(value: float, unit: str) -> str:
    if value == 0:
        return f"0 {unit}"
    # 999.95 m would print as 1e+03 m: the bound is where three digits round up to the next prefix.
    for scale, prefix in _PREFIXES:
        if abs(value) >= 0.9995 * scale:
            return f"{_three_digits(value / scale)} {prefix}{unit}"
    scale, prefix = _PREFIXES[-1]
    return f"{value / scale:.2g} {prefix}{unit}"


def _three_digits(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
