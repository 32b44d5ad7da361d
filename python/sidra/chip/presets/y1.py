"""SIDRA YILDIRIM Y1, the first chip. Its figures and their tags are the defaults of `ChipSpec`."""

from __future__ import annotations

from sidra.chip.spec import ChipSpec

SPEC = ChipSpec(name="y1")
