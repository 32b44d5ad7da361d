// From the values of a weight to the levels of its cells.
//
//   scale = f32(max |w| / limit), 1 when that is 0;  level = clip(round_half_even(w / scale))
// Shapes: one output [inputs], contiguous. Defined by tests/numerics/reference.py, bit for bit.
#pragma once

#include <cstdint>

namespace sidra::sim {

// max |w|; infinite or NaN when a value is not finite.
float greatest_magnitude(const float* values, uint64_t count);
// Index of the first value that is not finite, or `count`.
uint64_t first_not_finite(const float* values, uint64_t count);

float weight_scale(float greatest_magnitude, int32_t limit);
void quantize_levels(const float* values, uint64_t count, float scale, int32_t limit,
                     int8_t* levels);

}  // namespace sidra::sim
