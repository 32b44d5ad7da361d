"""Faults that are known, each with its reason. A test fails when one of them is no longer there."""

from __future__ import annotations

KNOWN: dict[tuple[str, str], str] = {}
