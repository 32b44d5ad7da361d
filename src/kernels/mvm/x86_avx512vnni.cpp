#include "kernels/mvm/kernels.h"
#include "kernels/mvm/x86_block.h"
#include "kernels/mvm/x86_vnni512.h"

namespace sidra::kernels {

void mvm_u8i8i32_4x64_avx512vnni(const MvmWeights& weights, const MvmInputs& inputs,
                                 const MvmOutputs& outputs, uint64_t block_begin,
                                 uint64_t block_end) {
  run_blocks<Avx512Vnni>(weights, inputs, outputs, block_begin, block_end);
}

}  // namespace sidra::kernels
