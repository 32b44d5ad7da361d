#include "drivers/sim/full_scale.h"

#include <algorithm>
#include <cmath>

namespace sidra::sim {

float full_scale(const ChipSpec& spec, const int8_t* levels, uint64_t inputs) {
  const double sigmas = spec.adc_full_scale_sigmas;
  double greatest = 0;
  for (uint64_t begin = 0; begin < inputs; begin += spec.crossbar_rows) {
    const uint64_t end = std::min(inputs, begin + spec.crossbar_rows);
    int32_t squares = 0, sum = 0;  // at most 4096 rows: 4096 * 128^2 fits
    for (uint64_t i = begin; i < end; ++i) squares += levels[i] * levels[i], sum += levels[i];
    const double mean = spec.adc_full_scale_mean * sum;
    const double expected = (sigmas * sigmas) * (squares + mean * mean);
    greatest = std::max(greatest, std::min(expected, static_cast<double>(inputs) * squares));
  }
  if (greatest == 0) return static_cast<float>(spec.adc_limit());
  const double mean_square = spec.most_input_squares(inputs) / static_cast<double>(inputs);
  return static_cast<float>(std::sqrt(mean_square * greatest));
}

}  // namespace sidra::sim
