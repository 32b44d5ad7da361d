// One pass over a tile: a few vectors times the levels of one row tile and column block, then the
// converter. The innermost part of the x86 microkernels; see mvm.h for what is computed.
//
// Vector is Vector256 or Vector512 with, in addition,
//   Codes, load_codes(u8*)      4 codes of one vector, in every lane
//   Levels, load_levels(i8*)    4 levels of each of kLanes columns
//   multiply_add(Int, Codes, Levels)    each lane: + sum of its 4 products, modulo 2^32
//   keeps_levels(vectors)       a row group's levels fit registers beside the accumulators
//   kMaxVectors                 vectors of one pass at most
//   registers(vectors)          column registers of one step
//   chains(vectors)             accumulators of one output, so that enough are in flight
// Everything has internal linkage, for the reason given in vector512.h.
#pragma once

#include <cstdint>
#include <utility>

#include "kernels/mvm/mvm.h"
#include "kernels/x86/unroll.h"

namespace sidra::kernels {
namespace {

constexpr int kBlockColumns = static_cast<int>(kMvmBlockColumns);
constexpr int kRowGroup = static_cast<int>(kMvmRowGroup);
constexpr uint64_t kGroupBytes = kMvmBlockColumns * kMvmRowGroup;
// 2048 was best of 512 to 16384 on Zen 5: levels in memory and 8 vectors 25 GB/s against 19
// without, levels in the L2 cache and one vector 5 % more.
constexpr uint64_t kPrefetchBytes = 2048;

struct Pass {
  const int8_t* levels;        // [groups][64][4]
  const int32_t* column_sums;  // [64]
  const float* inverse_delta;  // [64]
  const uint8_t* codes;        // [vectors][code_stride]
  uint64_t code_stride;
  const int32_t* zero;  // [vectors]
  uint64_t groups;
  float adc_limit;
  bool first;     // of the row tiles: sums are written, not added to
  int32_t* sums;  // [vectors][64]
};

template <class Vector, int kVectors, int kRegisters>
struct Accumulators {
  typename Vector::Int at[kVectors][kRegisters];
};

// The correction for the code of 0.0: sum of (code - zero) * level
//                                   = sum of code * level - zero * sum of level
template <class Vector, int kVectors, int kRegisters>
[[gnu::always_inline]] inline void start_tile(Accumulators<Vector, kVectors, kRegisters>& sum,
                                              const Pass& pass, int column) {
  SIDRA_UNROLL
  for (int m = 0; m < kVectors; ++m) {
    const auto minus_zero = Vector::fill_int(-pass.zero[m]);
    SIDRA_UNROLL
    for (int r = 0; r < kRegisters; ++r) {
      const auto level_sum = Vector::load_int(pass.column_sums + column + r * Vector::kLanes);
      sum.at[m][r] = Vector::multiply_int(minus_zero, level_sum);
    }
  }
}

// Adds the products of one row group.
template <class Vector, int kVectors, int kRegisters>
[[gnu::always_inline]] inline void multiply_group(Accumulators<Vector, kVectors, kRegisters>& sum,
                                                  const uint8_t* codes, uint64_t code_stride,
                                                  const int8_t* levels) {
  typename Vector::Levels column[kRegisters];
  SIDRA_UNROLL
  for (int r = 0; r < kRegisters; ++r) {
    column[r] = Vector::load_levels(levels + r * Vector::kLanes * kRowGroup);
    if constexpr (Vector::keeps_levels(kVectors)) Vector::keep(column[r]);
  }
  SIDRA_UNROLL
  for (int m = 0; m < kVectors; ++m) {
    const auto code = Vector::load_codes(codes + m * code_stride);
    SIDRA_UNROLL
    for (int r = 0; r < kRegisters; ++r) {
      sum.at[m][r] = Vector::multiply_add(sum.at[m][r], code, column[r]);
    }
  }
}

// Asks for the levels that the step multiplies kPrefetchBytes later; at the end of a tile those are
// the next tile's.
template <class Vector, int kRegisters>
[[gnu::always_inline]] inline void prefetch_group(const int8_t* levels) {
  // An address, not a pointer: behind the last level there may be nothing.
  const uintptr_t ahead = reinterpret_cast<uintptr_t>(levels) + kPrefetchBytes;
  SIDRA_UNROLL
  for (int line = 0; line < kRegisters * Vector::kLanes * kRowGroup / 64; ++line) {
    __builtin_prefetch(reinterpret_cast<const void*>(ahead + 64 * line));
  }
}

template <class Vector, int kVectors, int kRegisters>
[[gnu::always_inline]] inline void add_chain(
    Accumulators<Vector, kVectors, kRegisters>& sum,
    const Accumulators<Vector, kVectors, kRegisters>& chain) {
  SIDRA_UNROLL
  for (int m = 0; m < kVectors; ++m) {
    SIDRA_UNROLL
    for (int r = 0; r < kRegisters; ++r) {
      sum.at[m][r] = Vector::add_int(sum.at[m][r], chain.at[m][r]);
    }
  }
}

// c of mvm.h.
template <class Vector>
inline typename Vector::Int convert(typename Vector::Int sum, typename Vector::Float inverse_delta,
                                    typename Vector::Float limit) {
  const auto scaled = Vector::multiply(Vector::to_float(sum), inverse_delta);
  return Vector::round_half_even(Vector::clip(scaled, limit));
}

// Converts the accumulators of the tile and adds them to the sums of the tiles before it.
template <class Vector, bool kAdc, int kVectors, int kRegisters>
[[gnu::always_inline]] inline void finish_tile(
    const Accumulators<Vector, kVectors, kRegisters>& sum, const Pass& pass, int column) {
  const auto limit = Vector::fill(pass.adc_limit);
  const float* const inverse_delta = pass.inverse_delta + column;
  int32_t* const sums = pass.sums + column;
  const bool first = pass.first;
  SIDRA_UNROLL
  for (int r = 0; r < kRegisters; ++r) {
    SIDRA_UNROLL
    for (int m = 0; m < kVectors; ++m) {
      auto value = sum.at[m][r];
      if constexpr (kAdc) {
        const auto inverse = Vector::load(inverse_delta + r * Vector::kLanes);
        value = convert<Vector>(value, inverse, limit);
      }
      int32_t* const to = sums + m * kBlockColumns + r * Vector::kLanes;
      if (!first) value = Vector::add_int(value, Vector::load_int(to));
      Vector::store_int(to, value);
    }
  }
}

// The columns [column, column + kRegisters * kLanes) of a pass.
template <class Vector, int kVectors, bool kAdc, int kRegisters>
void run_step(const Pass& pass, int column) {
  constexpr int kChains = Vector::chains(kVectors);
  Accumulators<Vector, kVectors, kRegisters> sum[kChains] = {};
  start_tile(sum[0], pass, column);

  const uint8_t* codes = pass.codes;
  const uint64_t code_stride = pass.code_stride;
  const int8_t* levels = pass.levels + column * kRowGroup;
  uint64_t groups = pass.groups;
  for (; groups >= kChains; groups -= kChains) {
    SIDRA_UNROLL
    for (int chain = 0; chain < kChains; ++chain) {
      prefetch_group<Vector, kRegisters>(levels);
      multiply_group(sum[chain], codes, code_stride, levels);
      codes += kRowGroup;
      levels += kGroupBytes;
    }
  }
  if constexpr (kChains > 1) {
    for (; groups > 0; --groups, codes += kRowGroup, levels += kGroupBytes) {
      multiply_group(sum[0], codes, code_stride, levels);
    }
    SIDRA_UNROLL
    for (int chain = 1; chain < kChains; ++chain) add_chain(sum[0], sum[chain]);
  }
  finish_tile<Vector, kAdc>(sum[0], pass, column);
}

template <class Vector, int kVectors, bool kAdc>
void run_pass_of(const Pass& pass) {
  constexpr int kRegisters = Vector::registers(kVectors);
  for (int column = 0; column < kBlockColumns; column += kRegisters * Vector::kLanes) {
    run_step<Vector, kVectors, kAdc, kRegisters>(pass, column);
  }
}

// A pass of `vectors` vectors, 1 to kMaxVectors.
template <class Vector, bool kAdc>
void run_pass(const Pass& pass, uint64_t vectors) {
  using Function = void (*)(const Pass&);
  static constexpr auto functions = []<int... kIndex>(std::integer_sequence<int, kIndex...>) {
    struct Table {
      Function at[sizeof...(kIndex)];
    };
    return Table{{run_pass_of<Vector, kIndex + 1, kAdc>...}};
  }(std::make_integer_sequence<int, Vector::kMaxVectors>());
  functions.at[vectors - 1](pass);
}

}  // namespace
}  // namespace sidra::kernels
