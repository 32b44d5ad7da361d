// The chip's rule for the range of the ADC on one output, in units of input code x level.
#pragma once

#include <cstdint>

#include "drivers/sim/spec.h"

namespace sidra::sim {

// f32(adc_full_scale_factor * the greatest Euclidean norm of the levels in one row tile), the norm
// in double from an exact integer sum. adc_limit, a step of one, when every level is 0.
//   levels [inputs]: of one output
float full_scale(const ChipSpec& spec, const int8_t* levels, uint64_t inputs);

}  // namespace sidra::sim
