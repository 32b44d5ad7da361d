#include "drivers/sim/levels.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sidra::sim {

float greatest_magnitude(const float* values, uint64_t count) {
  int32_t greatest = 0;  // without their sign, floats are ordered like integers; NaN is last
  for (uint64_t i = 0; i < count; ++i) {
    greatest = std::max(greatest, std::bit_cast<int32_t>(values[i]) & 0x7fffffff);
  }
  return std::bit_cast<float>(greatest);
}

uint64_t first_not_finite(const float* values, uint64_t count) {
  uint64_t i = 0;
  while (i < count && std::isfinite(values[i])) ++i;
  return i;
}

float weight_scale(float greatest_magnitude, int32_t limit) {
  const float scale = greatest_magnitude / static_cast<float>(limit);
  return scale == 0 ? 1.0f : scale;
}

void quantize_levels(const float* values, uint64_t count, float scale, int32_t limit,
                     int8_t* levels) {
  const auto bound = static_cast<float>(limit);
  // Below 2^22, adding and taking away 1.5 * 2^23 leaves the nearest integer, ties to even.
  constexpr float kRound = 12582912.0f;
  for (uint64_t i = 0; i < count; ++i) {
    const float step = std::min(std::max(values[i] / scale, -bound), bound);
    levels[i] = static_cast<int8_t>(static_cast<int32_t>((step + kRound) - kRound));
  }
}

}  // namespace sidra::sim
