// Exact products of bytes in AVX2: widened to 16 bits, as in x86_avx512.cpp.
#include "kernels/mvm/kernels.h"
#include "kernels/mvm/x86_block.h"
#include "kernels/x86/vector256.h"

namespace sidra::kernels {
namespace {

// 4 vectors x 2 column registers = 8 accumulators, 4 registers of widened levels, 2 of codes.
struct Avx2 : Vector256 {
  struct Widened {
    Int even, odd;  // of each lane's 4 bytes, as 16-bit halves
  };
  using Codes = Widened;
  using Levels = Widened;
  static constexpr int kMaxVectors = 4;
  static constexpr int registers(int) { return 2; }
  static constexpr bool keeps_levels(int) { return false; }  // computed values stay
  static constexpr int chains(int) { return 1; }

  static Codes load_codes(const uint8_t* p) {
    const __m256i bytes = __m256i(fill_int_from(p));
    return {Int(_mm256_and_si256(bytes, _mm256_set1_epi16(0xff))),
            Int(_mm256_srli_epi16(bytes, 8))};
  }
  static Levels load_levels(const int8_t* p) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return {Int(_mm256_srai_epi16(_mm256_slli_epi16(bytes, 8), 8)),
            Int(_mm256_srai_epi16(bytes, 8))};
  }
  static Int multiply_add(Int sum, Codes codes, Levels levels) {
    sum = add_int(sum, multiply_pairs(codes.even, levels.even));
    return add_int(sum, multiply_pairs(codes.odd, levels.odd));
  }
  static Int multiply_pairs(Int a, Int b) { return Int(_mm256_madd_epi16(__m256i(a), __m256i(b))); }
};

}  // namespace

void mvm_u8i8i32_4x16_avx2(const MvmWeights& weights, const MvmInputs& inputs,
                           const MvmOutputs& outputs, uint64_t block_begin, uint64_t block_end) {
  run_blocks<Avx2>(weights, inputs, outputs, block_begin, block_end);
}

}  // namespace sidra::kernels
