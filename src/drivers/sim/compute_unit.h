// The product of activation vectors with a programmed weight.
#pragma once

#include <cstdint>

#include "drivers/sim/host.h"
#include "drivers/sim/spec.h"
#include "drivers/sim/weight.h"

namespace sidra::sim {

struct MvmCall {
  const float* input;      // [vectors] rows of [inputs], input_stride apart
  uint64_t input_stride;   // elements
  float* output;           // [vectors] rows of [outputs], output_stride apart
  uint64_t output_stride;  // elements
  const float* bias;       // [outputs] or null
  uint64_t vectors;
  bool relu;
  bool dynamic_range;  // scale and zero of each vector from its own values
  float input_scale;   // of all vectors otherwise
  int32_t input_zero;
};

// Through DACs, crossbars and ADCs: kernels/quantize, then kernels/mvm. Throws Error when the
// weight was not programmed.
void multiply(const Weight& weight, const MvmCall& call, const ChipSpec& spec, const Host& host);

// Exact float32 (exact.cpp), with the host's product when it lends one.
void multiply_exact(const Weight& weight, const MvmCall& call, const Host& host);

}  // namespace sidra::sim
