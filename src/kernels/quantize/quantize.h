// Input quantisation (the DAC side): the family's contract.
//
//   code[k] = clip(round_half_even(x[k] * inverse), -zero, limit - zero) + zero
//   limit   = 2^dac_bits - 1, 1 to 255
//
// A NaN takes the code of 0.0, which is `zero`; +infinity takes `limit`, -infinity takes 0.
//
// Dynamic range, per vector; the infinities and NaN take no part in it:
//   low     = min(0, least finite x), high = max(0, greatest finite x)
//   squares = sum over finite x of x^2, in f32, in the order below
//   span    = max(f64(high) - f64(low), limit * sqrt(f64(squares) / most_squares))       in f64
//   scale   = f32(span / limit)               the quotients in f64, rounded once to f32
//   inverse = f32(limit / span)
//   zero    = round_half_even(-low * inverse)
// So the squares of the codes, less zero, sum to most_squares at most, but for rounding: a flat
// vector makes column sums no greater than a peaked one does. Squares that overflow f32 widen
// nothing.
//
// Partial sum j of 32 takes the squares of x[j], x[j + 32], ... in this order. Then partial sum j
// takes that of j + 16, for j < 16; of j + 8, for j < 8; and so on, down to one.
//
// Where scale or inverse is 0 or not finite (a vector of zeros, or of numbers so small or so large
// that a quotient leaves f32) scale is 1, zero is 0, and every finite element takes code 0.
//
// Static range: scale and zero are given, inverse = 1 / scale in f32.
//   scale is a normal positive f32, 0 <= zero <= limit
//
// Each product is one f32 operation, so every microkernel of this family returns the same bits.
// tests/numerics/reference.py says the same in NumPy.
#pragma once

#include <cstdint>

namespace sidra::kernels {

// One vector: x [count] f32 -> codes [padded] u8, scale, zero. Codes past `count` are 0.
// `most_squares` is positive; infinity leaves every vector its own range.
using QuantizeFunction = void (*)(const float* x, uint64_t count, uint64_t padded, int32_t limit,
                                  double most_squares, uint8_t* codes, float* scale, int32_t* zero);

inline constexpr int kQuantizePartialSums = 32;
// The same with a given scale and zero.
using QuantizeStaticFunction = void (*)(const float* x, uint64_t count, uint64_t padded,
                                        int32_t limit, float scale, int32_t zero, uint8_t* codes);

// The row of kernels.inc that selected_isa() runs.
QuantizeFunction quantize_function();
QuantizeStaticFunction quantize_static_function();
const char* quantize_name();

}  // namespace sidra::kernels
