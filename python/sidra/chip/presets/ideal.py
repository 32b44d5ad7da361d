"""A y1 whose products are exact float32: for conformance tests. Time and energy are y1's."""

from __future__ import annotations

from sidra.chip.spec import ChipSpec

SPEC = ChipSpec(
    name="ideal",
    exact=True,  # assumed; no converters, no quantised cells
    adc_bits=0,  # assumed
)
