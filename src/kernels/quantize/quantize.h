// Input quantisation (the DAC side): the family's contract.
//
//   low  = min(0, min over finite x), high = max(0, max over finite x)
//   dynamic:  scale = f32((high - low) / limit), inverse = f32(limit / (high - low)), zero = round_half_even(-low * inverse)
//             limit = 2^dac_bits - 1, at most 255. high - low == 0: scale = 1, inverse = 1, zero = 0
//   code[k]   = clip(round_half_even(x[k] * inverse) + zero, 0, limit)
// The rules for NaN, infinities and ranges whose difference or reciprocal overflows are those of
// the NumPy reference in tests/numerics/reference.py.
//
// Every microkernel of this family returns the same bits.
#pragma once

#include <cstdint>

namespace sidra::kernels {

// One vector: x [count] f32 -> codes [padded], scale, zero. Codes past `count` up to `padded` are 0.
using QuantizeFunction = void (*)(const float* x, uint64_t count, uint64_t padded, int32_t limit,
                                  uint8_t* codes, float* scale, int32_t* zero);
// The same with a fixed scale and zero (static range).
using QuantizeStaticFunction = void (*)(const float* x, uint64_t count, uint64_t padded,
                                        int32_t limit, float scale, int32_t zero, uint8_t* codes);

QuantizeFunction quantize_function();
QuantizeStaticFunction quantize_static_function();
const char* quantize_name();

}  // namespace sidra::kernels
