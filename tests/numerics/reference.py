"""The numerical contract of one matrix product on crossbars, in NumPy: the definition.

Every implementation returns the same bits as this file while noise is off. Integers are exact and
every float32 operation is one IEEE operation in the order written here.

    x [M, K] f32 -> codes u [M, K] u8, scale [M] f32, zero [M] i32        (DAC, per vector)
    W [N, K] f32 -> levels q [N, K] i8, weight scale [N] f32              (cells, per output)
    v[m, t, n] = sum over k in row tile t of (u[m, k] - zero[m]) * q[n, k]               i32
    c[m, t, n] = round_half_even(clip(f32(v) * inverse_delta[n], -limit, limit))         i32
    a[m, n]    = sum over t of c                                                         i32
    y[m, n]    = (f32(a) * gain[n]) * scale[m] + bias[n]                                 f32

    delta[n] = full_scale[n] / limit;  inverse_delta[n] = limit / full_scale[n]
    gain[n]  = delta[n] * weight scale[n], without an ADC weight scale[n];  then c is v itself

`limit` of the ADC is 127 for 8 bits, of the inputs 255, of the weights 127.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sidra.chip import ChipSpec

F32 = NDArray[np.float32]
I8 = NDArray[np.int8]
I32 = NDArray[np.int32]
U8 = NDArray[np.uint8]

SMALLEST_NORMAL = np.finfo(np.float32).smallest_normal
PARTIAL_SUMS = 32


@dataclass(frozen=True)
class Inputs:
    """Input codes u [M, K] u8, with scale [M] f32 and the code of 0.0, zero [M] i32."""

    codes: U8
    scale: F32
    zero: I32


@dataclass(frozen=True)
class Weights:
    """Levels q [N, K] i8, with scale [N] f32 and the ADC's full_scale [N] f32, code x level."""

    levels: I8
    scale: F32
    full_scale: F32


@dataclass(frozen=True)
class Range:
    """How a vector is encoded: code = x * inverse + zero, rounded; a code stands for `scale`."""

    scale: np.float32
    inverse: np.float32
    zero: np.int32


def sum_of_squares(vector: F32) -> np.float32:
    """Sum of the squares of the finite elements of vector [K], float32 in the contract's order.

    Partial sum j of 32 takes the squares of elements j, j + 32, ... in this order; then partial
    sum j takes that of j + 16, of j + 8, and so on.
    """
    padded = np.zeros((-(-vector.size // PARTIAL_SUMS), PARTIAL_SUMS), np.float32)
    padded.ravel()[: vector.size] = np.where(np.isfinite(vector), vector, 0)
    sums = np.zeros(PARTIAL_SUMS, np.float32)
    with np.errstate(over="ignore", under="ignore"):
        for row in padded:
            sums = sums + row * row
        while sums.size > 1:
            sums = sums[: sums.size // 2] + sums[sums.size // 2 :]
    return np.float32(sums[0])


def dynamic_range(vector: F32, limit: int, most_squares: float) -> Range:
    """Range of one vector [K] from its own values.

    It spans the finite elements and always 0, and is as wide as it takes for the squares of the
    codes, less zero, to sum to most_squares before rounding. A vector without a range, or with one
    whose scale or inverse is 0 or not finite in float32, gets (1, 0, 0): its finite elements have
    code 0.
    """
    finite = vector[np.isfinite(vector)]
    low = np.float32(min(0.0, finite.min(initial=0.0)))
    high = np.float32(max(0.0, finite.max(initial=0.0)))
    span = np.float64(high) - np.float64(low)
    squares = np.float64(sum_of_squares(vector))
    if np.isfinite(squares):
        span = max(span, limit * np.sqrt(squares / most_squares))
    with np.errstate(divide="ignore", over="ignore"):
        scale = np.float32(span / limit)
        inverse = np.float32(limit / span)
    if not (0 < scale < np.inf and 0 < inverse < np.inf):
        return Range(np.float32(1), np.float32(0), np.int32(0))
    return Range(scale, inverse, np.int32(np.rint(-low * inverse)))


def input_codes(vector: F32, inverse: np.float32, zero: np.int32, limit: int) -> U8:
    """Codes [K] of one vector: NaN takes the code of 0.0, infinities the ends of the range."""
    number = np.where(np.isnan(vector), np.float32(0), vector)
    with np.errstate(over="ignore", invalid="ignore"):
        step = np.rint(number * inverse)
    step = np.where(np.isinf(number), np.copysign(np.float32(np.inf), number), step)
    return (np.clip(step, -zero, limit - zero) + zero).astype(np.uint8)


def quantize_inputs(x: F32, limit: int, most_squares: float = math.inf) -> Inputs:
    """Codes of x [M, K], the range of each vector from its own values."""
    ranges = [dynamic_range(vector, limit, most_squares) for vector in x]
    codes = [input_codes(v, r.inverse, r.zero, limit) for v, r in zip(x, ranges, strict=True)]
    return Inputs(
        np.array(codes, np.uint8).reshape(x.shape),
        np.array([used.scale for used in ranges], np.float32),
        np.array([used.zero for used in ranges], np.int32),
    )


def quantize_inputs_static(x: F32, limit: int, scale: float, zero: int) -> Inputs:
    """Codes of x [M, K] in one fixed range: scale a normal positive float32, 0 <= zero <= limit.

    Raises ValueError for any other scale or zero.
    """
    step = np.float32(scale)
    if not SMALLEST_NORMAL <= step < np.inf:
        raise ValueError(f"input scale {scale!r} is not a normal positive float32")
    if not 0 <= zero <= limit:
        raise ValueError(f"input zero {zero} is not a code of 0 to {limit}")
    inverse = np.float32(1) / step
    codes = [input_codes(vector, inverse, np.int32(zero), limit) for vector in x]
    count = x.shape[0]
    return Inputs(
        np.array(codes, np.uint8).reshape(x.shape),
        np.full(count, step, np.float32),
        np.full(count, zero, np.int32),
    )


def quantize_weights(weight: F32, limit: int) -> tuple[I8, F32]:
    """Levels [N, K] and scale [N] of weight [N, K]; a row of zeros has scale 1.

    Raises ValueError for a weight that is not finite: no cell holds one.
    """
    if not np.isfinite(weight).all():
        raise ValueError("weight is not finite")
    scale = np.abs(weight).max(axis=1, initial=0.0) / np.float32(limit)
    scale = np.where(scale == 0, np.float32(1), scale)
    levels = np.clip(np.rint(weight / scale[:, None]), -limit, limit)
    return levels.astype(np.int8), scale.astype(np.float32)


def full_scale(levels: I8, spec: ChipSpec) -> F32:
    """ADC range [N] of levels [N, K], in input code x level; shared by the row tiles of an output.

    The input norm bounds the mean square of the codes, less zero, so the column sum has a square of
    the order of mean square * (sum of q^2 + (adc_full_scale_mean * sum of q)^2), and of at most
    mean square * K * sum of q^2. The range is `adc_full_scale_sigmas` roots of the former, or the
    root of the latter when that is less, of the row tile where it is greatest. In float64, rounded
    once. An output without a nonzero level converts nothing: its step is 1.
    """
    inputs, factor = levels.shape[1], spec.adc_full_scale_sigmas * spec.adc_full_scale_sigmas
    greatest = np.zeros(levels.shape[0])
    for start in range(0, inputs, spec.crossbar_rows):
        tile = levels[:, start : start + spec.crossbar_rows].astype(np.int64)
        squares, mean = np.square(tile).sum(axis=1), spec.adc_full_scale_mean * tile.sum(axis=1)
        expected = factor * (squares + mean * mean)
        greatest = np.maximum(greatest, np.minimum(expected, float(inputs) * squares))
    mean_square = spec.most_input_squares(inputs) / inputs
    ranges = np.sqrt(mean_square * greatest)
    return np.where(greatest > 0, ranges, spec.adc_limit).astype(np.float32)


def program(weight: F32, spec: ChipSpec) -> Weights:
    """What the cells of `spec` hold for weight [N, K], with the chip's rule for the ADC range."""
    levels, scale = quantize_weights(weight, spec.weight_limit)
    return Weights(levels, scale, full_scale(levels, spec))


def tile_sums(inputs: Inputs, levels: I8, tile_rows: int) -> I32:
    """v [M, T, N]: what the column currents stand for. float64 products of these are exact."""
    signed = inputs.codes.astype(np.float64) - inputs.zero[:, None]
    starts = range(0, levels.shape[1], tile_rows)
    tiles = [slice(start, start + tile_rows) for start in starts]
    sums = [signed[:, tile] @ levels[:, tile].astype(np.float64).T for tile in tiles]
    return np.stack(sums, axis=1).astype(np.int32)


def convert(sums: I32, scale_to_code: F32, limit: int) -> I32:
    """ADC codes [M, T, N] of v [M, T, N], half to even; scale_to_code is inverse_delta [N]."""
    analog = sums.astype(np.float32) * scale_to_code
    bound = np.float32(limit)
    codes: I32 = np.rint(np.clip(analog, -bound, bound)).astype(np.int32)
    return codes


def mvm(
    inputs: Inputs,
    weights: Weights,
    spec: ChipSpec,
    bias: F32 | None = None,
    relu: bool = False,
) -> F32:
    """y [M, N] f32. Negative y become 0 with relu; NaN and -0.0 pass."""
    sums = tile_sums(inputs, weights.levels, spec.crossbar_rows)
    gain = weights.scale
    if spec.adc_limit:
        limit = np.float32(spec.adc_limit)
        sums = convert(sums, limit / weights.full_scale, spec.adc_limit)
        gain = (weights.full_scale / limit) * weights.scale
    total = sums.sum(axis=1, dtype=np.int32)
    with np.errstate(over="ignore", invalid="ignore"):
        y = (total.astype(np.float32) * gain) * inputs.scale[:, None]
        if bias is not None:
            y = y + bias
    return np.where(y < 0, np.float32(0), y) if relu else y


def linear(x: F32, weight: F32, spec: ChipSpec, bias: F32 | None = None, relu: bool = False) -> F32:
    """y [M, N] = x [M, K] times weight [N, K] transposed, + bias [N], with dynamic input ranges."""
    most_squares = spec.most_input_squares(x.shape[1]) if spec.adc_limit else math.inf
    inputs = quantize_inputs(x, spec.input_limit, most_squares)
    return mvm(inputs, program(weight, spec), spec, bias, relu)
