// The definition of the family in plain C++: quantize.h, line by line.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "kernels/quantize/kernels.h"
#include "kernels/quantize/range.h"

namespace sidra::kernels {
namespace {

uint8_t code(float x, float inverse, int32_t zero, int32_t limit) {
  if (std::isnan(x)) return static_cast<uint8_t>(zero);
  const float low = static_cast<float>(-zero), high = static_cast<float>(limit - zero);
  const float step = std::clamp(std::nearbyint(x * inverse), low, high);
  return static_cast<uint8_t>(static_cast<int32_t>(step) + zero);
}

void encode(const float* x, uint64_t count, uint64_t padded, int32_t limit, float inverse,
            int32_t zero, uint8_t* codes) {
  for (uint64_t k = 0; k < count; ++k) codes[k] = code(x[k], inverse, zero, limit);
  std::fill(codes + count, codes + padded, uint8_t{0});
}

QuantizeExtent extent_of(const float* x, uint64_t count) {
  QuantizeExtent extent{0, 0, 0};
  float sums[kQuantizePartialSums] = {};
  for (uint64_t k = 0; k < count; ++k) {
    if (!std::isfinite(x[k])) continue;
    extent.low = std::min(extent.low, x[k]);
    extent.high = std::max(extent.high, x[k]);
    sums[k % kQuantizePartialSums] += x[k] * x[k];
  }
  for (int half = kQuantizePartialSums / 2; half > 0; half /= 2) {
    for (int j = 0; j < half; ++j) sums[j] += sums[j + half];
  }
  extent.squares = sums[0];
  return extent;
}

}  // namespace

void quantize_f32u8_1x1_scalar(const float* x, uint64_t count, uint64_t padded, int32_t limit,
                               double most_squares, uint8_t* codes, float* scale, int32_t* zero) {
  assert(count <= padded);
  const QuantizeRange range = quantize_range(extent_of(x, count), limit, most_squares);
  *scale = range.scale;
  *zero = range.zero;
  if (range.inverse > 0) {
    encode(x, count, padded, limit, range.inverse, range.zero, codes);
  } else {
    quantize_without_range(x, count, limit, codes);
    std::fill(codes + count, codes + padded, uint8_t{0});
  }
}

void quantize_static_f32u8_1x1_scalar(const float* x, uint64_t count, uint64_t padded,
                                      int32_t limit, float scale, int32_t zero, uint8_t* codes) {
  assert(count <= padded && zero >= 0 && zero <= limit && limit <= 255);
  encode(x, count, padded, limit, 1.0f / scale, zero, codes);
}

}  // namespace sidra::kernels
