// Declarations of the family's microkernels, from its list. For the files that define them, the
// dispatcher, tests and benches; users call mvm_function().
#pragma once

#include <span>

#include "kernels/isa.h"
#include "kernels/mvm/mvm.h"

namespace sidra::kernels {

struct MvmKernel {
  Isa isa;
  int vectors;  // at most so many share one pass over a tile's levels
  const char* name;
  MvmFunction function;
};

// kernels.inc as an array, scalar first; rows this processor cannot run included.
std::span<const MvmKernel> mvm_kernels();

#define SIDRA_MVM_KERNEL(isa, vectors, function)                                               \
  void function(const MvmWeights& weights, const MvmInputs& inputs, const MvmOutputs& outputs, \
                uint64_t block_begin, uint64_t block_end);
#include "kernels/mvm/kernels.inc"
#undef SIDRA_MVM_KERNEL

}  // namespace sidra::kernels
