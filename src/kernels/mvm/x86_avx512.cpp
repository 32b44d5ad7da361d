// Exact products without VNNI. vpmaddubsw saturates when two products pass 32767, so bytes are
// widened to 16 bits and multiplied with vpmaddwd, which adds pairs of products in 32 bits. The
// even and the odd bytes of a 32-bit lane make one such pair each: a lane stays with its column.
#include "kernels/mvm/kernels.h"
#include "kernels/mvm/x86_block.h"
#include "kernels/x86/vector512.h"

namespace sidra::kernels {
namespace {

// 4 vectors x 4 column registers = 16 accumulators, 8 registers of widened levels, 2 of codes.
struct Avx512 : Vector512 {
  struct Widened {
    Int even, odd;  // of each lane's 4 bytes, as 16-bit halves
  };
  using Codes = Widened;
  using Levels = Widened;
  static constexpr int kMaxVectors = 4;
  static constexpr int registers(int) { return 4; }
  static constexpr bool keeps_levels(int) { return false; }  // computed values stay
  static constexpr int chains(int) { return 1; }

  static Codes load_codes(const uint8_t* p) {
    const __m512i bytes = __m512i(fill_int_from(p));
    return {Int(_mm512_and_si512(bytes, _mm512_set1_epi16(0xff))),
            Int(_mm512_srli_epi16(bytes, 8))};
  }
  static Levels load_levels(const int8_t* p) {
    const __m512i bytes = _mm512_loadu_si512(p);
    return {Int(_mm512_srai_epi16(_mm512_slli_epi16(bytes, 8), 8)),
            Int(_mm512_srai_epi16(bytes, 8))};
  }
  static Int multiply_add(Int sum, Codes codes, Levels levels) {
    sum = add_int(sum, multiply_pairs(codes.even, levels.even));
    return add_int(sum, multiply_pairs(codes.odd, levels.odd));
  }
  static Int multiply_pairs(Int a, Int b) { return Int(_mm512_madd_epi16(__m512i(a), __m512i(b))); }
};

}  // namespace

void mvm_u8i8i32_4x64_avx512(const MvmWeights& weights, const MvmInputs& inputs,
                             const MvmOutputs& outputs, uint64_t block_begin, uint64_t block_end) {
  run_blocks<Avx512>(weights, inputs, outputs, block_begin, block_end);
}

}  // namespace sidra::kernels
