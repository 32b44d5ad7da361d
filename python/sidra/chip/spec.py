"""What a chip is: one frozen record of structure, converters, time and energy.

The simulator driver takes exactly these fields as `key=value` lines (`to_config`), so this record
is the only place where a chip is described. Units are SI and stand in the name.

Each figure carries a tag in its comment: `stated` (published about the SIDRA chip), `derived`
(arithmetic on stated figures) or `assumed` (ours). None of them is a measurement.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from sidra.chip.limits import check_field
from sidra.errors import ConfigurationError


@dataclass(frozen=True)
class ChipSpec:
    """An analog in-memory-computing chip; the defaults are the preset `y1`."""

    name: str = "y1"

    # Structure.
    clusters: int = 16  # stated
    compute_units_per_cluster: int = 25  # stated
    crossbars_per_compute_unit: int = 16  # stated
    crossbar_rows: int = 256  # stated; word lines, a multiple of 4
    crossbar_columns: int = 256  # stated; bit lines
    converters_per: str = "compute_unit"  # assumed; sources disagree. Or "crossbar"
    weight_encoding: str = "offset"  # stated; or "differential", two cells a weight
    weight_levels: int = 256  # stated
    memory_bytes: int = 8 << 30  # assumed; device-addressable memory behind the link

    # Converters. `exact` replaces them and the cells by float32 products.
    exact: bool = False
    dac_bits: int = 8  # stated
    adc_bits: int = 8  # stated; 0 reads the column sum exactly
    # The three below: docs/decisions/004-input-norm-and-adc-full-scale.md.
    input_norm_rows: int = 160  # assumed; codes have the norm of full scale on one row in so many
    adc_full_scale_sigmas: float = 5.0  # assumed; root mean squares of the column sum
    adc_full_scale_mean: float = 0.35  # assumed; mean of the codes in their root mean squares

    # Time.
    mvm_settle_seconds: float = 10e-9  # stated
    mvm_convert_seconds: float = 5e-9  # stated
    engine_hertz: float = 1e9  # stated
    engine_lanes: int = 4  # assumed
    sram_bytes_per_second: float = 32e9  # assumed; of one compute unit
    link_bytes_per_second: float = 16e9  # stated; PCIe 5.0 x4, each way
    link_latency_seconds: float = 1e-6  # assumed; of one transfer

    # Energy.
    array_watts: float = 10e-3  # stated; one active crossbar
    dac_joules: float = 0.8e-12  # derived; from power shares, one conversion
    adc_joules: float = 1e-12  # stated; one conversion
    engine_operation_joules: float = 1e-12  # assumed; one 32-bit operation at 28 nm
    lookup_joules: float = 0.5e-12  # assumed; one read of a 256-entry table
    sram_joules_per_byte: float = 0.5e-12  # assumed
    link_joules_per_byte: float = 40e-12  # assumed; 5 pJ a bit
    leakage_watts: float = 50e-3  # stated
    clock_io_watts: float = 0.2  # stated
    tdp_watts: float = 3.0  # stated; the datasheet profile

    # Programming (ISPP).
    ispp_start_volts: float = 1.5  # stated
    ispp_start_seconds: float = 10e-9  # stated
    ispp_step_volts: float = 50e-3  # stated
    ispp_width_factor: float = 1.2  # stated
    ispp_reset_volts: float = -0.5  # stated
    ispp_reset_seconds: float = 5e-9  # stated
    ispp_max_iterations: int = 15  # stated
    ispp_mean_iterations: float = 6.0  # stated as 5 to 7
    ispp_tolerance: float = 0.01  # stated; of full scale
    ispp_pulse_joules: float = 1e-12  # assumed; mean of one pulse on one cell
    endurance_writes: int = 1_000_000  # stated; writes a cell lasts

    def __post_init__(self) -> None:
        """Refuse values outside their legal range with ConfigurationError."""
        for field in fields(self):
            check_field(field.name, str(field.type), getattr(self, field.name))
        if self.ispp_mean_iterations > self.ispp_max_iterations:
            raise ConfigurationError(
                f"chip field ispp_mean_iterations = {self.ispp_mean_iterations}: must not exceed "
                f"ispp_max_iterations = {self.ispp_max_iterations}"
            )

    @property
    def compute_units(self) -> int:
        """Compute units of the whole chip."""
        return self.clusters * self.compute_units_per_cluster

    @property
    def crossbars(self) -> int:
        """Crossbars of the whole chip."""
        return self.compute_units * self.crossbars_per_compute_unit

    @property
    def cells(self) -> int:
        """Cells of the whole chip; a weight takes one (`offset`) or two (`differential`)."""
        return self.crossbars * self.crossbar_rows * self.crossbar_columns

    @property
    def input_limit(self) -> int:
        """Greatest input code; codes run from 0."""
        return (1 << self.dac_bits) - 1

    def most_input_squares(self, inputs: int) -> float:
        """With an ADC, the greatest sum of squares of a vector's codes, each less zero."""
        rows = self.input_norm_rows
        return self.input_limit * self.input_limit * (max(inputs, rows) / rows)

    @property
    def weight_limit(self) -> int:
        """Greatest level of a signed weight; levels run from its negative."""
        return self.weight_levels // 2 - 1

    @property
    def adc_limit(self) -> int:
        """Greatest ADC code; codes run from its negative. 0: no ADC."""
        return (1 << (self.adc_bits - 1)) - 1 if self.adc_bits else 0

    def to_config(self) -> str:
        """Lines `key=value`, one a field in declared order, as the simulator driver reads them."""
        lines = (f"{f.name}={_text(str(f.type), getattr(self, f.name))}\n" for f in fields(self))
        return "".join(lines)


def _text(kind: str, value: object) -> str:
    """Bools as 0 or 1, floats so that they read back to the same bits."""
    if isinstance(value, bool):
        return str(int(value))
    if kind == "float" and isinstance(value, int | float):
        return repr(float(value))
    return str(value)
