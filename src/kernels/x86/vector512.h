// One 512-bit register's worth of lanes: the operations that microkernel templates are written in.
// vector256.h has the same names for 256 bits.
//
// Everything here has internal linkage: each file that includes it compiles its own copy for its
// own instruction set, and no copy can replace another's when the library is linked.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace sidra::kernels {
namespace {

struct Vector512 {
  // Not __m512i, which is eight 64-bit lanes: the compiler keeps a second copy of an accumulator
  // for each element type it is used as, and a loop that fills the registers spills.
  using Int = int32_t __attribute__((vector_size(64)));
  using Float = __m512;
  static constexpr int kLanes = 16;

  static Int load_int(const int32_t* p) { return Int(_mm512_loadu_si512(p)); }
  static void store_int(int32_t* p, Int x) { _mm512_storeu_si512(p, __m512i(x)); }
  static Int fill_int(int32_t x) { return Int(_mm512_set1_epi32(x)); }
  // The 4 bytes at p in every lane.
  static Int fill_int_from(const uint8_t* p) {
    int32_t bytes;
    std::memcpy(&bytes, p, sizeof bytes);
    return fill_int(bytes);
  }
  static Int add_int(Int a, Int b) { return Int(_mm512_add_epi32(__m512i(a), __m512i(b))); }
  static Int multiply_int(Int a, Int b) { return Int(_mm512_mullo_epi32(__m512i(a), __m512i(b))); }
  // Makes the compiler hold x in a register: it prefers to load a value again for every use.
  static void keep(Int& x) { __asm__("" : "+v"(x)); }

  static Float load(const float* p) { return _mm512_loadu_ps(p); }
  static void store(float* p, Float x) { _mm512_storeu_ps(p, x); }
  static Float fill(float x) { return _mm512_set1_ps(x); }
  static Float add(Float a, Float b) { return _mm512_add_ps(a, b); }
  static Float multiply(Float a, Float b) { return _mm512_mul_ps(a, b); }
  // a < b ? a : b and a > b ? a : b: b when either is NaN or both are zero.
  static Float min(Float a, Float b) { return _mm512_min_ps(a, b); }
  static Float max(Float a, Float b) { return _mm512_max_ps(a, b); }
  // x limited to [-limit, limit]; x is not NaN. The operand of lesser magnitude, with the sign of
  // x.
  static Float clip(Float x, Float limit) { return _mm512_range_ps(x, limit, 0x2); }

  static Float to_float(Int x) { return _mm512_cvtepi32_ps(__m512i(x)); }
  static Int round_half_even(Float x) { return Int(_mm512_cvtps_epi32(x)); }

  static Float zero_if_nan(Float x) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), x);
  }
  static Float zero_unless_finite(Float x) {
    constexpr int kNanOrInfinity = 0x99;  // quiet NaN, +infinity, -infinity, signaling NaN
    return _mm512_maskz_mov_ps(_knot_mask16(_mm512_fpclass_ps_mask(x, kNanOrInfinity)), x);
  }
  static float least(Float x) { return _mm512_reduce_min_ps(x); }
  static float greatest(Float x) { return _mm512_reduce_max_ps(x); }
  // Lane j takes lane j + 8, for j < 8; then j + 4, j + 2, j + 1.
  static float sum_of_halves(Float x) {
    __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(x), _mm512_extractf32x8_ps(x, 1));
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    four = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
  }

  // Lanes 0 to 255 as kLanes bytes.
  static void store_bytes(uint8_t* p, Int x) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(__m512i(x)));
  }

  // The first `count` lanes, 0 <= count <= kLanes; the others are zero, and not touched in memory.
  static Float load_first(const float* p, int count) {
    return _mm512_maskz_loadu_ps(first_lanes(count), p);
  }
  static void store_first(float* p, Float x, int count) {
    _mm512_mask_storeu_ps(p, first_lanes(count), x);
  }

 private:
  static __mmask16 first_lanes(int count) { return static_cast<__mmask16>((1u << count) - 1); }
};

}  // namespace
}  // namespace sidra::kernels
