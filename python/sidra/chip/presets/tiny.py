"""Eight crossbars of 8 x 8 cells, small enough to read a whole mapping: for tests."""

from __future__ import annotations

from sidra.chip.spec import ChipSpec

SPEC = ChipSpec(
    name="tiny",
    clusters=1,  # assumed
    compute_units_per_cluster=2,  # assumed
    crossbars_per_compute_unit=4,  # assumed
    crossbar_rows=8,  # assumed
    crossbar_columns=8,  # assumed
    memory_bytes=64 << 20,  # assumed
)
