"""The chip record: derived figures, validation texts, the driver's configuration text."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from sidra.chip import ChipSpec
from sidra.errors import ConfigurationError, SidraError


def test_y1_totals_are_the_stated_ones() -> None:
    spec = ChipSpec()
    assert (spec.compute_units, spec.crossbars, spec.cells) == (400, 6_400, 419_430_400)


def test_limits_of_codes() -> None:
    spec = ChipSpec()
    assert (spec.input_limit, spec.weight_limit, spec.adc_limit) == (255, 127, 127)
    assert replace(spec, adc_bits=0).adc_limit == 0
    assert replace(spec, adc_bits=2).adc_limit == 1


def test_norm_of_a_vector_grows_from_one_full_scale_code() -> None:
    spec = ChipSpec()
    assert spec.most_input_squares(1) == spec.most_input_squares(160) == 255 * 255
    assert spec.most_input_squares(320) == 2 * 255 * 255


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("clusters", 0, "an integer of 1 to 1e+06 (a count)"),
        ("clusters", 2.0, "an integer of"),
        ("clusters", True, "an integer of"),
        ("crossbar_rows", 255, "a multiple of 4"),
        ("adc_bits", 1, "0 to 16 bits"),
        ("dac_bits", 9, "1 to 8 bits"),
        ("converters_per", "chip", "'compute_unit' or 'crossbar'"),
        ("weight_encoding", 3, "'offset' or 'differential'"),
        ("exact", 1, "True or False"),
        ("name", "y1\nclusters=3", "letters, digits"),
        ("name", "", "letters, digits"),
        ("mvm_settle_seconds", 10, "a number of 0 to 1 s"),
        ("mvm_settle_seconds", float("nan"), "0 to 1 s"),
        ("adc_joules", -1e-12, "0 to 1 J"),
        ("sram_joules_per_byte", "x", "J/byte"),
        ("link_bytes_per_second", 0, "byte/s"),
        ("ispp_mean_iterations", 16, "must not exceed ispp_max_iterations = 15"),
    ],
)
def test_refuses_value_and_names_field_and_range(field: str, value: object, expected: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        replace(ChipSpec(), **{field: value})  # type: ignore[arg-type]
    text = str(caught.value)
    assert text.startswith(f"chip field {field} = ")
    assert expected in text
    assert isinstance(caught.value, SidraError)
    assert isinstance(caught.value, ValueError)


def test_config_has_one_line_a_field_in_order() -> None:
    lines = ChipSpec().to_config().splitlines()
    assert [line.split("=")[0] for line in lines] == [field.name for field in fields(ChipSpec)]


def test_config_reads_back_to_the_same_values() -> None:
    spec = replace(ChipSpec(), exact=True, leakage_watts=1, dac_joules=0.1 + 0.2)
    values = dict(line.split("=", 1) for line in spec.to_config().splitlines())
    assert values["exact"] == "1"
    assert values["leakage_watts"] == "1.0"
    assert float(values["dac_joules"]) == 0.1 + 0.2
