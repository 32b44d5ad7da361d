#include "drivers/sim/full_scale.h"

#include <algorithm>
#include <cmath>

namespace sidra::sim {

float full_scale(const ChipSpec& spec, const int8_t* levels, uint64_t inputs) {
  int32_t greatest = 0;  // a tile has at most 4096 rows: 4096 * 128^2 fits
  for (uint64_t begin = 0; begin < inputs; begin += spec.crossbar_rows) {
    const uint64_t end = std::min(inputs, begin + spec.crossbar_rows);
    int32_t squares = 0;
    for (uint64_t i = begin; i < end; ++i) squares += levels[i] * levels[i];
    greatest = std::max(greatest, squares);
  }
  if (greatest == 0) return static_cast<float>(spec.adc_limit());
  return static_cast<float>(spec.adc_full_scale_factor * std::sqrt(static_cast<double>(greatest)));
}

}  // namespace sidra::sim
