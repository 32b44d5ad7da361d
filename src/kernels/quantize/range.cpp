#include "kernels/quantize/range.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace sidra::kernels {

QuantizeRange quantize_range(const QuantizeExtent& extent, int32_t limit, double most_squares) {
  assert(extent.low <= 0 && extent.high >= 0 && limit >= 1 && limit <= 255 && most_squares > 0);
  double span = double{extent.high} - double{extent.low};
  if (std::isfinite(extent.squares)) {
    span = std::max(span, limit * std::sqrt(double{extent.squares} / most_squares));
  }
  const float scale = static_cast<float>(span / limit);
  const float inverse = static_cast<float>(limit / span);
  const bool usable = scale > 0 && std::isfinite(scale) && inverse > 0 && std::isfinite(inverse);
  if (!usable) return {1.0f, 0.0f, 0};
  return {scale, inverse, static_cast<int32_t>(std::nearbyint(-extent.low * inverse))};
}

void quantize_without_range(const float* x, uint64_t count, int32_t limit, uint8_t* codes) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (uint64_t k = 0; k < count; ++k) {
    codes[k] = x[k] == kInfinity ? static_cast<uint8_t>(limit) : uint8_t{0};
  }
}

}  // namespace sidra::kernels
