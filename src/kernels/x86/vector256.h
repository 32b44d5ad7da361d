// One 256-bit register's worth of lanes: the operations that microkernel templates are written in.
// vector512.h has the same names for 512 bits.
//
// Everything here has internal linkage: each file that includes it compiles its own copy for its
// own instruction set, and no copy can replace another's when the library is linked.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace sidra::kernels {
namespace {

struct Vector256 {
  // Not __m256i: see vector512.h.
  using Int = int32_t __attribute__((vector_size(32)));
  using Float = __m256;
  static constexpr int kLanes = 8;

  static Int load_int(const int32_t* p) {
    return Int(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static void store_int(int32_t* p, Int x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), __m256i(x));
  }
  static Int fill_int(int32_t x) { return Int(_mm256_set1_epi32(x)); }
  // The 4 bytes at p in every lane.
  static Int fill_int_from(const uint8_t* p) {
    int32_t bytes;
    std::memcpy(&bytes, p, sizeof bytes);
    return fill_int(bytes);
  }
  static Int add_int(Int a, Int b) { return Int(_mm256_add_epi32(__m256i(a), __m256i(b))); }
  static Int multiply_int(Int a, Int b) { return Int(_mm256_mullo_epi32(__m256i(a), __m256i(b))); }
  // Makes the compiler hold x in a register: it prefers to load a value again for every use.
  static void keep(Int& x) { __asm__("" : "+x"(x)); }

  static Float load(const float* p) { return _mm256_loadu_ps(p); }
  static void store(float* p, Float x) { _mm256_storeu_ps(p, x); }
  static Float fill(float x) { return _mm256_set1_ps(x); }
  static Float add(Float a, Float b) { return _mm256_add_ps(a, b); }
  static Float multiply(Float a, Float b) { return _mm256_mul_ps(a, b); }
  // a < b ? a : b and a > b ? a : b: b when either is NaN or both are zero.
  static Float min(Float a, Float b) { return _mm256_min_ps(a, b); }
  static Float max(Float a, Float b) { return _mm256_max_ps(a, b); }
  // x limited to [-limit, limit]; x is not NaN.
  static Float clip(Float x, Float limit) {
    return max(min(x, limit), _mm256_xor_ps(limit, fill(-0.0f)));
  }

  static Float to_float(Int x) { return _mm256_cvtepi32_ps(__m256i(x)); }
  static Int round_half_even(Float x) { return Int(_mm256_cvtps_epi32(x)); }

  static Float zero_if_nan(Float x) { return _mm256_and_ps(x, _mm256_cmp_ps(x, x, _CMP_ORD_Q)); }
  static Float zero_unless_finite(Float x) {
    const Float magnitude = _mm256_andnot_ps(fill(-0.0f), x);
    return _mm256_and_ps(x, _mm256_cmp_ps(magnitude, fill(__builtin_inff()), _CMP_LT_OQ));
  }
  static float least(Float x) {
    __m128 four = _mm_min_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    four = _mm_min_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_min_ss(four, _mm_movehdup_ps(four)));
  }
  static float greatest(Float x) {
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    four = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(four, _mm_movehdup_ps(four)));
  }
  // Lane j takes lane j + 4, for j < 4; then j + 2, j + 1.
  static float sum_of_halves(Float x) {
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    four = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
  }

  // Lanes 0 to 255 as kLanes bytes.
  static void store_bytes(uint8_t* p, Int x) {
    const __m128i low = _mm256_castsi256_si128(__m256i(x));
    const __m128i high = _mm256_extracti128_si256(__m256i(x), 1);
    const __m128i words = _mm_packs_epi32(low, high);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packus_epi16(words, words));
  }

  // The first `count` lanes, 0 <= count <= kLanes; the others are zero, and not touched in memory.
  static Float load_first(const float* p, int count) {
    return _mm256_maskload_ps(p, first_lanes(count));
  }
  static void store_first(float* p, Float x, int count) {
    _mm256_maskstore_ps(p, first_lanes(count), x);
  }

 private:
  static __m256i first_lanes(int count) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), lane);
  }
};

}  // namespace
}  // namespace sidra::kernels
