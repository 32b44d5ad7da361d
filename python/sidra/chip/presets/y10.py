"""Y10, the announced successor: 2,480 x the cells of y1, read out by time-to-digital converters.

Stated beside the fields below: noise of 2 % and IR drop under 1 %. Fields that are not set here are
y1's, because nothing is published about them; their totals (memory, leakage, TDP) are therefore
not those of a chip of this size.
"""

from __future__ import annotations

from sidra.chip.spec import ChipSpec

SPEC = ChipSpec(
    name="y10",
    # stated: 2,480 x the cells. assumed: 155 x the clusters, 16 x the compute units of each.
    clusters=2480,
    compute_units_per_cluster=400,
    adc_joules=0.3e-12,  # stated; one TDC conversion
)
