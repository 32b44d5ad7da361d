// The part of quantisation that is done once a vector, shared by all rows of the family.
#pragma once

#include <cstdint>

namespace sidra::kernels {

struct QuantizeRange {
  float scale, inverse;
  int32_t zero;
};

// What is known of a vector before it is encoded; see quantize.h.
struct QuantizeExtent {
  float low, high;  // low <= 0 <= high
  float squares;
};

// The range of a vector. Where the contract gives scale 1 for want of a usable range, inverse is 0.
QuantizeRange quantize_range(const QuantizeExtent& extent, int32_t limit, double most_squares);

// The codes [count] of a vector whose inverse is 0: `limit` for +infinity, else 0.
void quantize_without_range(const float* x, uint64_t count, int32_t limit, uint8_t* codes);

}  // namespace sidra::kernels
