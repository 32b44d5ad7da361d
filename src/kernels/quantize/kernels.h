// Declarations of the family's microkernels, from its list. For the files that define them, the
// dispatcher, tests and benches; users call quantize_function().
#pragma once

#include <span>

#include "kernels/isa.h"
#include "kernels/quantize/quantize.h"

namespace sidra::kernels {

struct QuantizeKernel {
  Isa isa;
  int columns;  // elements of one step
  const char* name;
  QuantizeFunction function;
  QuantizeStaticFunction static_function;
};

// kernels.inc as an array, scalar first; rows this processor cannot run included.
std::span<const QuantizeKernel> quantize_kernels();

#define SIDRA_QUANTIZE_KERNEL(isa, columns, function, static_function)                 \
  void function(const float* x, uint64_t count, uint64_t padded, int32_t limit,        \
                double most_squares, uint8_t* codes, float* scale, int32_t* zero);     \
  void static_function(const float* x, uint64_t count, uint64_t padded, int32_t limit, \
                       float scale, int32_t zero, uint8_t* codes);
#include "kernels/quantize/kernels.inc"
#undef SIDRA_QUANTIZE_KERNEL

}  // namespace sidra::kernels
