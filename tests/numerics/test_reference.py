"""Properties, ties and special values of the definition itself."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import reference as ref

from sidra.chip import ChipSpec

Y1 = ChipSpec()
NO_ADC = replace(Y1, adc_bits=0)


def f32(*values: float) -> ref.F32:
    return np.array(values, np.float32)


def codes(*values: float, limit: int = 255) -> list[int]:
    return [int(code) for code in ref.quantize_inputs(f32(*values)[None], limit).codes[0]]


# ---- inputs --------------------------------------------------------------------------------


def test_range_reaches_from_lowest_to_highest_code() -> None:
    inputs = ref.quantize_inputs(f32(-1, 0, 3, 1)[None], 255)
    assert inputs.codes.tolist() == [[0, 64, 255, 128]]
    assert inputs.zero.tolist() == [64]
    assert inputs.scale[0] == np.float32(4 / 255)


def test_flat_vector_is_encoded_in_a_wider_range() -> None:
    x = f32(-100, 155)[None]
    inputs = ref.quantize_inputs(x, 255, most_squares=(100**2 + 155**2) / 4)
    assert inputs.codes.tolist() == [[0, 128]]
    assert (inputs.scale[0], inputs.zero[0]) == (2, 50)


def test_vector_at_the_greatest_norm_keeps_its_range() -> None:
    inputs = ref.quantize_inputs(f32(0, 255)[None], 255, most_squares=255**2)
    assert inputs.codes.tolist() == [[0, 255]]


def test_squares_are_of_finite_elements() -> None:
    inputs = ref.quantize_inputs(f32(np.inf, 255, np.nan, -np.inf)[None], 255, 65025 / 25)
    assert inputs.scale[0] == 5


def test_squares_that_overflow_widen_nothing() -> None:
    assert ref.quantize_inputs(f32(1e30, 1e30)[None], 255, 1).codes.tolist() == [[255, 255]]


def test_squares_are_summed_in_the_order_told() -> None:
    x = f32(*([4096.0] + [1.0] * 64))  # beside 2^24 a one is lost
    assert ref.sum_of_squares(x) == np.float32(4096**2 + 62)
    assert ref.sum_of_squares(x[::-1]) == np.float32(4096**2 + 64)


@pytest.mark.parametrize("inputs", [1, 2, 159, 160, 161, 1000])
def test_norm_of_the_codes_is_bounded(inputs: int) -> None:
    rng = np.random.default_rng(7)
    most = Y1.most_input_squares(inputs)
    for x in (rng.uniform(1, 2, (20, inputs)), rng.normal(size=(20, inputs)), np.ones((1, inputs))):
        codes = ref.quantize_inputs(x.astype(np.float32), 255, most)
        steps = codes.codes.astype(np.float64) - codes.zero[:, None]
        slack = math.sqrt(inputs)  # every code may be rounded up by a half, the zero too
        assert np.linalg.norm(steps, axis=1).max() <= math.sqrt(most) + slack


@pytest.mark.parametrize("sign", [1, -1])
def test_range_includes_zero(sign: int) -> None:
    inputs = ref.quantize_inputs(f32(10 * sign, 11 * sign)[None], 255)
    assert inputs.scale[0] == np.float32(11 / 255)
    assert inputs.zero[0] == (0 if sign > 0 else 255)


def test_zero_has_an_exact_code() -> None:
    x = np.random.default_rng(0).normal(size=(64, 32)).astype(np.float32)
    x[:, 5] = 0
    inputs = ref.quantize_inputs(x, 255)
    assert (inputs.codes[:, 5] == inputs.zero).all()


def test_error_is_half_a_step_inside_and_one_step_at_the_ends() -> None:
    x = np.random.default_rng(1).normal(2, 1, size=(200, 64)).astype(np.float32)
    inputs = ref.quantize_inputs(x, 255)
    back = (inputs.codes.astype(np.float64) - inputs.zero[:, None]) * inputs.scale[:, None]
    steps = np.abs(back - x) / inputs.scale[:, None]
    inside = (inputs.codes > 0) & (inputs.codes < 255)
    assert steps[inside].max() <= 0.5 + 1e-4
    assert steps.max() <= 1.0 + 1e-4  # zero itself is rounded, so an end may be clipped by half


def test_input_ties_go_to_even() -> None:
    assert codes(0, 0.5, 1.5, 2.5, 255) == [0, 0, 2, 2, 255]


def test_zero_point_tie_goes_to_even() -> None:
    inputs = ref.quantize_inputs(f32(-2.5, 252.5)[None], 255)
    assert inputs.zero[0] == 2


def test_special_values_take_the_ends_and_the_zero() -> None:
    inf, nan = np.inf, np.nan
    assert codes(inf, -inf, nan, -1, 1) == [255, 0, 128, 0, 255]
    assert codes(inf, -inf, nan, -0.0, 0.0) == [255, 0, 0, 0, 0]


@pytest.mark.parametrize("value", [0.0, -0.0, 1e-45, -1e-45, 7e-37, -7e-37])
def test_vector_too_small_for_a_range_is_all_zero(value: float) -> None:
    inputs = ref.quantize_inputs(f32(value, 0)[None], 255)
    assert inputs.codes.tolist() == [[0, 0]]
    assert (inputs.scale[0], inputs.zero[0]) == (1, 0)


def test_range_may_exceed_float32() -> None:
    big = float(np.finfo(np.float32).max)
    inputs = ref.quantize_inputs(f32(-big, 0, big)[None], 255)
    assert inputs.codes.tolist() == [[0, 128, 255]]
    assert inputs.scale[0] == np.float32(2 * big / 255)


def test_range_whose_scale_exceeds_float32_is_all_zero() -> None:
    big = float(np.finfo(np.float32).max)
    assert codes(-big, big, np.inf, limit=1) == [0, 0, 1]


def test_subnormal_scale_is_kept() -> None:
    inputs = ref.quantize_inputs(f32(8e-37, 0)[None], 255)
    assert 0 < inputs.scale[0] < ref.SMALLEST_NORMAL
    assert inputs.codes.tolist() == [[255, 0]]


@pytest.mark.parametrize("limit", [1, 3, 15, 255])
def test_codes_stay_in_their_range(limit: int) -> None:
    x = np.random.default_rng(2).standard_cauchy((500, 33)).astype(np.float32)
    inputs = ref.quantize_inputs(x, limit)
    assert inputs.codes.min() == 0
    assert inputs.codes.max() == limit
    assert 0 <= inputs.zero.min() <= inputs.zero.max() <= limit


def test_static_range_clips() -> None:
    inputs = ref.quantize_inputs_static(f32(-3, 0, 0.5, 1.5, 300, np.inf, np.nan)[None], 255, 1, 2)
    assert inputs.codes.tolist() == [[0, 2, 2, 4, 255, 255, 2]]


def test_static_product_that_overflows_clips() -> None:
    assert ref.quantize_inputs_static(f32(3e38, -3e38)[None], 255, 2e-38, 7).codes.tolist() == [
        [255, 0]
    ]


@pytest.mark.parametrize("scale", [0.0, -1.0, np.inf, np.nan, 1e-39])
def test_static_scale_must_be_normal(scale: float) -> None:
    with pytest.raises(ValueError, match="not a normal positive float32"):
        ref.quantize_inputs_static(f32(1)[None], 255, scale, 0)


@pytest.mark.parametrize("zero", [-1, 256])
def test_static_zero_must_be_a_code(zero: int) -> None:
    with pytest.raises(ValueError, match="not a code of 0 to 255"):
        ref.quantize_inputs_static(f32(1)[None], 255, 1.0, zero)


# ---- weights and full scale ----------------------------------------------------------------


def test_weights_are_symmetric_with_ties_to_even() -> None:
    levels, scale = ref.quantize_weights(f32(0.5, 1.5, 2.5, -2.5, 127)[None], 127)
    assert levels.tolist() == [[0, 2, 2, -2, 127]]
    assert scale.tolist() == [1]


def test_zero_row_has_scale_one() -> None:
    levels, scale = ref.quantize_weights(np.zeros((2, 3), np.float32), 127)
    assert scale.tolist() == [1, 1]
    assert not levels.any()


def test_row_below_the_smallest_scale_is_a_zero_row() -> None:
    levels, scale = ref.quantize_weights(f32(1e-45, -1e-45)[None], 127)
    assert scale.tolist() == [1]
    assert not levels.any()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_weight_that_is_not_finite_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="weight is not finite"):
        ref.quantize_weights(f32(1, bad)[None], 127)


def four_rows(sigmas: float) -> ChipSpec:
    return replace(Y1, crossbar_rows=4, adc_full_scale_sigmas=sigmas)


def test_full_scale_is_of_the_largest_tile() -> None:
    levels = np.array([[3, -4, 0, 0, 5, -12, 0, 0, 1]], np.int8)
    norm = math.sqrt(13**2 + (0.35 * 7) ** 2)
    expected = 0.5 * (255 / 3) * norm  # nine inputs: the codes' root mean square is 255 / 3
    assert ref.full_scale(levels, four_rows(0.5))[0] == pytest.approx(expected, rel=1e-7)


def test_full_scale_is_at_most_what_the_norms_allow() -> None:
    assert ref.full_scale(np.array([[3, -4]], np.int8), four_rows(99)).tolist() == [255 * 5]
    assert ref.full_scale(np.array([[-7]], np.int8), four_rows(4)).tolist() == [255 * 7]


def test_full_scale_of_long_columns_does_not_depend_on_their_length() -> None:
    levels = np.zeros((1, 4000), np.int8)
    levels[0, :8] = 100, -100, 100, -100, 100, -100, 100, -100
    ranges = [ref.full_scale(levels[:, :inputs], Y1)[0] for inputs in (160, 1000, 4000)]
    assert ranges[0] == ranges[1] == ranges[2]


def test_full_scale_of_an_empty_column_is_one_step_a_unit() -> None:
    assert ref.full_scale(np.zeros((1, 5), np.int8), Y1).tolist() == [127]


def test_normal_inputs_of_any_length_are_converted_well() -> None:
    rng = np.random.default_rng(8)
    for inputs in (1, 2, 8, 64, 256, 1000):
        x = rng.standard_normal((64, inputs)).astype(np.float32)
        weight = rng.standard_normal((32, inputs)).astype(np.float32)
        y, exact = ref.linear(x, weight, Y1), x @ weight.T
        assert np.linalg.norm(y - exact) < 0.06 * np.linalg.norm(exact)


@pytest.mark.parametrize("inputs", [9, 32, 256, 1000])
def test_inputs_after_a_relu_are_converted_well(inputs: int) -> None:
    """Saturated and never negative, the flattest inputs there are: a ReLU6's."""
    rng = np.random.default_rng(9)
    x = np.clip(rng.normal(3, 3, (64, inputs)), 0, 6).astype(np.float32)
    weight = rng.standard_normal((32, inputs)).astype(np.float32)
    y, exact = ref.linear(x, weight, Y1), x @ weight.T
    assert np.linalg.norm(y - exact) < 0.06 * np.linalg.norm(exact)


# ---- product -------------------------------------------------------------------------------


def test_adc_ties_go_to_even_and_clip_symmetrically() -> None:
    sums = np.array([1, 3, 5, -1, -3, 1000, -1000], np.int32)
    halves = np.full(7, 0.5, np.float32)
    assert ref.convert(sums, halves, 127).tolist() == [0, 2, 2, 0, -2, 127, -127]


def test_row_tiles_are_converted_before_they_are_added() -> None:
    spec = replace(Y1, crossbar_rows=4)
    inputs = ref.Inputs(np.full((1, 8), 1, np.uint8), f32(1), np.zeros(1, np.int32))
    levels = np.array([[1, 0, 0, 0, 1, 0, 0, 0]], np.int8)
    weights = ref.Weights(levels, f32(1), f32(4 * 127))  # one step is four units
    assert ref.mvm(inputs, weights, spec).tolist() == [[0]]
    assert ref.mvm(inputs, weights, replace(spec, adc_bits=0)).tolist() == [[2]]


def test_without_adc_the_product_of_codes_is_exact() -> None:
    rng = np.random.default_rng(3)
    x = rng.integers(0, 256, (5, 700)).astype(np.float32)
    x[:, 0], x[:, 1] = 0, 255
    weight = rng.integers(-127, 128, (9, 700)).astype(np.float32)
    weight[:, 0] = 127
    assert np.array_equal(ref.linear(x, weight, NO_ADC), x @ weight.T)


def test_product_is_near_float_within_the_bound_of_its_codes() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=(40, 500)).astype(np.float32)
    weight = rng.normal(size=(30, 500)).astype(np.float32)
    inputs = ref.quantize_inputs(x, 255)
    levels, scale = ref.quantize_weights(weight, 127)
    # An input is off by a step at most, a weight by half a level.
    bound = inputs.scale[:, None] * np.abs(weight).sum(axis=1)
    used = levels * np.float64(1) * scale[:, None]
    reach = np.abs(x).sum(axis=1, keepdims=True) + 500 * inputs.scale[:, None]
    bound = bound + reach * np.abs(used - weight).max(axis=1)
    assert (np.abs(ref.linear(x, weight, NO_ADC) - x @ weight.T) <= bound).all()


def test_vectors_do_not_depend_on_each_other() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(6, 300)).astype(np.float32)
    weight = rng.normal(size=(7, 300)).astype(np.float32)
    together = ref.linear(x, weight, Y1)
    alone = np.concatenate([ref.linear(row[None], weight, Y1) for row in x])
    assert together.tobytes() == alone.tobytes()


def test_bias_and_relu_come_last() -> None:
    weight = f32(127, 0, 0, 127).reshape(2, 2)
    x = f32(255, 0)[None]
    spec = NO_ADC
    assert ref.linear(x, weight, spec, f32(-255 * 127 - 1, 2)).tolist() == [[-1, 2]]
    assert ref.linear(x, weight, spec, f32(-255 * 127 - 1, 2), relu=True).tolist() == [[0, 2]]


def test_relu_passes_nan_and_negative_zero() -> None:
    weight = np.zeros((2, 1), np.float32)
    y = ref.linear(f32(1)[None], weight, NO_ADC, f32(np.nan, -0.0), relu=True)
    assert np.isnan(y[0, 0])
    assert y[0, 1] == 0


def test_results_are_float32() -> None:
    y = ref.linear(np.ones((1, 3), np.float32), np.ones((2, 3), np.float32), Y1)
    assert y.dtype == np.float32


def test_round_full_scale_makes_ties_common() -> None:
    """A round full scale makes one conversion in two thousand a tie: half-to-even is no detail."""
    rng = np.random.default_rng(6)
    sums = rng.integers(-127_000, 127_001, 200_000).astype(np.int32)
    ties = (np.abs(sums) % 1000 == 500).mean()
    away = np.trunc(sums / 1000 + np.copysign(0.5, sums))
    even = ref.convert(sums, np.full(sums.size, np.float32(1 / 1000), np.float32), 127)
    assert 0.0005 < ties < 0.0015
    assert (away != even).any()
