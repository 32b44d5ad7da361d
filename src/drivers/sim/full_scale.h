// The chip's rule for the range of the ADC on one output, in units of input code x level.
#pragma once

#include <cstdint>

#include "drivers/sim/spec.h"

namespace sidra::sim {

// The DAC limits the root mean square of a vector's codes, less zero, to
//   d = sqrt(most_input_squares(inputs) / inputs)
// So the column sum of a row tile, whose levels are q, has a square of the order of
//   d^2 (sum of q^2 + (adc_full_scale_mean * sum of q)^2)
// where the mean serves inputs that are not centred, as after a ReLU; and by Cauchy and Schwarz it
// is at most d^2 inputs (sum of q^2). The range is adc_full_scale_sigmas times the root of the
// former, or the root of the latter when that is less, of the row tile where it is greatest. In
// double from exact integer sums, rounded to float once. adc_limit, a step of one, when every level
// is 0.
//   levels [inputs]: of one output
float full_scale(const ChipSpec& spec, const int8_t* levels, uint64_t inputs);

}  // namespace sidra::sim
