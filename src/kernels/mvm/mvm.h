// Crossbar matrix-vector multiply with converters: the family's contract.
//
// For vector m, output column n, row tile t of `tile_rows` word lines (the last may be shorter):
//   v[m][t][n] = sum over k in t of (code[m][k] - zero[m]) * level[n][k]              exact int32
//   c[m][t][n] = round_half_even(clip(f32(v) * inverse_delta[n], -adc_limit, adc_limit))
//   a[m][n]    = sum over t of c[m][t][n]                                             exact int32
//   y[m][n]    = (f32(a) * gain[n]) * scale[m] + bias[n]       f32, in this order, never fused
//   out[m][n]  = relu and y < 0 ? 0 : y             so that NaN and -0 pass
// Without an ADC (adc_limit == 0) c is v itself.
// Clipping before rounding gives the same integers as after it (the limit is one), and keeps the
// conversion to int32 in range.
//
// Every microkernel of this family returns the same bits: v, c and a are integers, and each f32
// operation of y is a single IEEE operation in the order written. An integer that does not fit
// int32 wraps around, in all of them alike: v fits while a tile has at most 65,000 rows, and a
// without an ADC while K does; with one it always does in practice.
#pragma once

#include <cstdint>

namespace sidra::kernels {

// Columns of one block of packed weights, and the word lines interleaved per column.
inline constexpr uint64_t kMvmBlockColumns = 64;
inline constexpr uint64_t kMvmRowGroup = 4;

// Levels [column block][row group][64 columns][4 rows] i8; zero where a block or the last group
// reaches past the matrix. `tile_rows` is a multiple of 4, so a group never crosses a tile.
// Any alignment works; levels aligned to 64 bytes are read fastest.
struct MvmWeights {
  const int8_t* levels;
  const int32_t* column_sums;  // [row tiles][padded columns]: sum of a tile's levels per column
  const float* inverse_delta;  // [padded columns] f32(adc_limit / full scale), finite;
                               // not read without an ADC
  const float* gain;           // [padded columns] f32, delta * weight scale; weight scale, no ADC
  uint64_t rows;               // K
  uint64_t columns;            // N
  uint64_t tile_rows;
  float adc_limit;  // 127 for 8 bits; 0: no ADC
};

struct MvmInputs {
  const uint8_t* codes;  // [vectors][stride], readable up to the padded row count
  uint64_t stride;       // bytes between vectors, at least mvm_padded_rows(rows)
  const int32_t* zero;   // [vectors] code of 0.0
  const float* scale;    // [vectors] f32
  uint64_t vectors;      // M
};

struct MvmOutputs {
  float* values;      // [vectors][stride] f32
  uint64_t stride;    // elements between vectors
  const float* bias;  // [columns] f32 or null
  bool relu;
};

inline uint64_t mvm_padded_rows(uint64_t rows) {
  return (rows + kMvmRowGroup - 1) / kMvmRowGroup * kMvmRowGroup;
}
inline uint64_t mvm_column_blocks(uint64_t columns) {
  return (columns + kMvmBlockColumns - 1) / kMvmBlockColumns;
}

// Bytes of packed levels.
uint64_t mvm_packed_bytes(uint64_t rows, uint64_t columns);

// Writes the levels of columns [first, first + count) into packed form and their column sums; with
// the last column also the zeros behind it. Distinct columns may be written at the same time.
//   levels [count][rows] i8, contiguous;  packed and column_sums as in MvmWeights
void mvm_pack(const int8_t* levels, uint64_t first, uint64_t count, uint64_t rows, uint64_t columns,
              uint64_t tile_rows, int8_t* packed, int32_t* column_sums);

// Reads columns [first, first + count) back: the inverse of mvm_pack, without the sums.
void mvm_unpack(const int8_t* packed, uint64_t first, uint64_t count, uint64_t rows,
                int8_t* levels);

// Computes column blocks [block_begin, block_end) of all vectors, on the calling thread. Distinct
// ranges may run at the same time.
using MvmFunction = void (*)(const MvmWeights& weights, const MvmInputs& inputs,
                             const MvmOutputs& outputs, uint64_t block_begin, uint64_t block_end);

// The row of kernels.inc that selected_isa() runs.
MvmFunction mvm_function();
const char* mvm_name();

}  // namespace sidra::kernels
