"""Which weights sit in crossbars."""

from __future__ import annotations

from typing import Any

from sidra import _C


def residency() -> list[dict[str, Any]]:
    """Return one dict for each matrix that is programmed: device, shape, crossbars, uses, ..."""
    entries: list[dict[str, Any]] = _C.residency()
    return entries


def residency_clear() -> None:
    """Free all crossbars. Weights are programmed again at their next use."""
    _C.residency_clear()
