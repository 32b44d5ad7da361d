// The chip's rule for the range of the ADC on one output, in units of input code x level.
#pragma once

#include <cstdint>

#include "drivers/sim/spec.h"

namespace sidra::sim {

// adc_full_scale_sigmas times the root mean square of the column sum, or the greatest sum there can
// be when that is less. K standard normal inputs span about 2 sqrt(2 ln K), which the DAC maps to
// its whole range, so their codes deviate by d = input_limit / (2 sqrt(2 ln K)). Inputs that are
// not centred, as after a ReLU, add a mean of adc_full_scale_mean * d. So the sum's square is
//   d^2 (sum of q^2 + (adc_full_scale_mean * sum of q)^2)
// with each sum of the row tile where it is greatest. In double from exact integer sums, rounded to
// float once. adc_limit, a step of one, when every level is 0.
//   levels [inputs]: of one output
float full_scale(const ChipSpec& spec, const int8_t* levels, uint64_t inputs);

}  // namespace sidra::sim
