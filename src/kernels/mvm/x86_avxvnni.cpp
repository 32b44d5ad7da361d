// vpdpbusd on 256-bit registers: processors with VNNI but without AVX-512.
#include "kernels/mvm/kernels.h"
#include "kernels/mvm/x86_block.h"
#include "kernels/x86/vector256.h"

namespace sidra::kernels {
namespace {

// 3 vectors x 4 column registers = 12 accumulators and one register of codes; the levels are memory
// operands, because 4 more registers there are not.
struct AvxVnni : Vector256 {
  using Codes = Int;
  using Levels = Int;
  static constexpr int kMaxVectors = 3;
  static constexpr int registers(int vectors) { return vectors == 1 ? 8 : 4; }
  static constexpr bool keeps_levels(int vectors) { return vectors == 2; }
  static constexpr int chains(int) { return 1; }

  static Codes load_codes(const uint8_t* p) { return fill_int_from(p); }
  static Levels load_levels(const int8_t* p) {
    return Int(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static Int multiply_add(Int sum, Codes codes, Levels levels) {
    return Int(_mm256_dpbusd_avx_epi32(__m256i(sum), __m256i(codes), __m256i(levels)));
  }
};

}  // namespace

void mvm_u8i8i32_4x32_avxvnni(const MvmWeights& weights, const MvmInputs& inputs,
                              const MvmOutputs& outputs, uint64_t block_begin, uint64_t block_end) {
  run_blocks<AvxVnni>(weights, inputs, outputs, block_begin, block_end);
}

}  // namespace sidra::kernels
