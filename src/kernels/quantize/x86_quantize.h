// The loops of quantisation, shared by the x86 microkernels; see quantize.h for what is computed.
//   Vector is Vector256 or Vector512
// Everything has internal linkage, for the reason given in vector512.h.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/quantize/quantize.h"
#include "kernels/quantize/range.h"
#include "kernels/x86/unroll.h"

namespace sidra::kernels {
namespace {

// min(0, least x), max(0, greatest x) and the sum of squares. When kFiniteOnly, NaN and infinities
// take no part; else they make the squares infinite or NaN.
template <class Vector, bool kFiniteOnly>
QuantizeExtent find_extent(const float* x, uint64_t count) {
  constexpr int kChains = 4, kSums = kQuantizePartialSums / Vector::kLanes;
  constexpr uint64_t kLanes = Vector::kLanes;
  static_assert(kChains % kSums == 0);
  typename Vector::Float low[kChains], high[kChains], sums[kSums];
  SIDRA_UNROLL
  for (int i = 0; i < kChains; ++i) low[i] = high[i] = Vector::fill(0.0f);
  SIDRA_UNROLL
  for (int i = 0; i < kSums; ++i) sums[i] = Vector::fill(0.0f);
  const auto take = [&](int i, typename Vector::Float value) {
    if constexpr (kFiniteOnly) value = Vector::zero_unless_finite(value);
    low[i] = Vector::min(value, low[i]);
    high[i] = Vector::max(value, high[i]);
    sums[i % kSums] = Vector::add(sums[i % kSums], Vector::multiply(value, value));
  };
  uint64_t k = 0;
  for (; k + kChains * kLanes <= count; k += kChains * kLanes) {
    SIDRA_UNROLL
    for (int i = 0; i < kChains; ++i) take(i, Vector::load(x + k + i * kLanes));
  }
  SIDRA_UNROLL
  for (int i = 0; i < kChains; ++i) {
    const uint64_t begin = k + static_cast<uint64_t>(i) * kLanes;
    if (begin >= count) break;
    take(i, Vector::load_first(x + begin, static_cast<int>(std::min(kLanes, count - begin))));
  }
  SIDRA_UNROLL
  for (int i = 1; i < kChains; ++i) {
    low[0] = Vector::min(low[i], low[0]);
    high[0] = Vector::max(high[i], high[0]);
  }
  SIDRA_UNROLL
  for (int half = kSums / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) sums[i] = Vector::add(sums[i], sums[i + half]);
  }
  return {Vector::least(low[0]), Vector::greatest(high[0]), Vector::sum_of_halves(sums[0])};
}

// What every element of a vector is encoded with.
template <class Vector>
struct Encoder {
  typename Vector::Float inverse, low, high;
  typename Vector::Int zero;

  Encoder(float inverse_, int32_t zero_, int32_t limit)
      : inverse(Vector::fill(inverse_)),
        low(Vector::fill(static_cast<float>(-zero_))),
        high(Vector::fill(static_cast<float>(limit - zero_))),
        zero(Vector::fill_int(zero_)) {}

  // Clipping before rounding gives the same codes: the bounds are integers.
  typename Vector::Int operator()(typename Vector::Float x) const {
    const auto step = Vector::multiply(Vector::zero_if_nan(x), inverse);
    const auto clipped = Vector::max(Vector::min(step, high), low);
    return Vector::add_int(Vector::round_half_even(clipped), zero);
  }
};

template <class Vector>
void encode(const float* x, uint64_t count, const Encoder<Vector>& encoder, uint8_t* codes) {
  constexpr uint64_t kLanes = Vector::kLanes;
  uint64_t k = 0;
  for (; k + kLanes <= count; k += kLanes) {
    Vector::store_bytes(codes + k, encoder(Vector::load(x + k)));
  }
  if (k < count) {
    const int left = static_cast<int>(count - k);
    uint8_t last[kLanes];
    Vector::store_bytes(last, encoder(Vector::load_first(x + k, left)));
    std::memcpy(codes + k, last, static_cast<uint64_t>(left));
  }
}

template <class Vector>
void quantize(const float* x, uint64_t count, uint64_t padded, int32_t limit, double most_squares,
              uint8_t* codes, float* scale, int32_t* zero) {
  assert(count <= padded);
  QuantizeExtent extent = find_extent<Vector, false>(x, count);
  if (!std::isfinite(extent.squares)) extent = find_extent<Vector, true>(x, count);
  const QuantizeRange range = quantize_range(extent, limit, most_squares);
  *scale = range.scale;
  *zero = range.zero;
  if (range.inverse > 0) {
    encode<Vector>(x, count, Encoder<Vector>(range.inverse, range.zero, limit), codes);
  } else {
    quantize_without_range(x, count, limit, codes);
  }
  std::memset(codes + count, 0, padded - count);
}

template <class Vector>
void quantize_static(const float* x, uint64_t count, uint64_t padded, int32_t limit, float scale,
                     int32_t zero, uint8_t* codes) {
  assert(count <= padded && zero >= 0 && zero <= limit && limit <= 255);
  encode<Vector>(x, count, Encoder<Vector>(1.0f / scale, zero, limit), codes);
  std::memset(codes + count, 0, padded - count);
}

}  // namespace
}  // namespace sidra::kernels
