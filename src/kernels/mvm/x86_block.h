// The loops around x86_tile.h: for every column block, for every chunk of vectors, for every row
// tile, for every pass (as many vectors as the accumulators in registers serve).
// A tile's levels (16 KiB at 256 rows) and the sums of a chunk (12 KiB) stay in the L1 cache.
// Everything has internal linkage, for the reason given in vector512.h.
#pragma once

#include <cassert>
#include <cstdint>

#include "kernels/mvm/x86_tile.h"

namespace sidra::kernels {
namespace {

constexpr uint64_t kChunkVectors = 48;

// Where the outputs of one pass go: its vectors, in one column block.
struct Result {
  const int32_t* sums;  // [vectors][64]
  const float* scale;   // [vectors]
  const float* gain;    // [64]
  const float* bias;    // [columns] or null
  float* values;        // [vectors][stride]
  uint64_t stride;
  uint64_t vectors;
  int columns;  // at most 64
};

// y of `count` columns, all kLanes of a register when kWhole.
template <class Vector, bool kWhole, bool kRelu>
inline void write_register(const Result& result, int column, int count) {
  const auto gain = Vector::load(result.gain + column);
  // Adding -0 changes no value, not even the sign of a zero.
  auto bias = Vector::fill(-0.0f);
  if (result.bias != nullptr) bias = Vector::load_first(result.bias + column, count);
  const int32_t* sums = result.sums + column;
  float* values = result.values + column;
  for (uint64_t m = 0; m < result.vectors; ++m) {
    auto y = Vector::multiply(Vector::to_float(Vector::load_int(sums)), gain);
    y = Vector::add(Vector::multiply(y, Vector::fill(result.scale[m])), bias);
    if constexpr (kRelu) y = Vector::max(Vector::fill(0.0f), y);
    if constexpr (kWhole) {
      Vector::store(values, y);
    } else {
      Vector::store_first(values, y, count);
    }
    sums += kBlockColumns;
    values += result.stride;
  }
}

template <class Vector, bool kRelu>
void write_columns(const Result& result) {
  int column = 0;
  for (; column + Vector::kLanes <= result.columns; column += Vector::kLanes) {
    write_register<Vector, true, kRelu>(result, column, Vector::kLanes);
  }
  if (column < result.columns) {
    write_register<Vector, false, kRelu>(result, column, result.columns - column);
  }
}

template <class Vector>
void write_result(const Result& result, bool relu) {
  if (relu) {
    write_columns<Vector, true>(result);
  } else {
    write_columns<Vector, false>(result);
  }
}

// The first of the fewest parts of at most `limit` that `count` splits into evenly.
inline uint64_t even_part(uint64_t count, uint64_t limit) {
  if (count <= limit) return count;
  const uint64_t parts = (count + limit - 1) / limit;
  return (count + parts - 1) / parts;
}

// One column block of one call.
template <class Vector, bool kAdc>
class Block {
 public:
  Block(const MvmWeights& weights, const MvmInputs& inputs, const MvmOutputs& outputs,
        uint64_t block)
      : weights_(weights),
        inputs_(inputs),
        outputs_(outputs),
        first_column_(block * kMvmBlockColumns),
        groups_((weights.rows + kMvmRowGroup - 1) / kMvmRowGroup),
        levels_(weights.levels + block * groups_ * kGroupBytes) {}

  // Vectors [begin, begin + count), count <= kChunkVectors.
  void run_chunk(uint64_t begin, uint64_t count) {
    alignas(64) int32_t sums[kChunkVectors * kMvmBlockColumns];
    const uint64_t tile_groups = weights_.tile_rows / kMvmRowGroup;
    uint64_t tile = 0;
    for (uint64_t group = 0; group < groups_; group += tile_groups, ++tile) {
      Pass pass = tile_pass(tile, group, tile_groups);
      const bool last = group + pass.groups == groups_;
      for (uint64_t done = 0, part; done < count; done += part) {
        part = even_part(count - done, Vector::kMaxVectors);
        pass.codes = inputs_.codes + (begin + done) * inputs_.stride + group * kMvmRowGroup;
        pass.zero = inputs_.zero + begin + done;
        pass.sums = sums + done * kMvmBlockColumns;
        run_pass<Vector, kAdc>(pass, part);
        if (last) write_result<Vector>(result(pass.sums, begin + done, part), outputs_.relu);
      }
    }
  }

 protected:
  // What all passes over the tile that starts at row group `group` share.
  Pass tile_pass(uint64_t tile, uint64_t group, uint64_t tile_groups) const {
    const uint64_t padded_columns =
        (weights_.columns + kMvmBlockColumns - 1) / kMvmBlockColumns * kMvmBlockColumns;
    Pass pass = {};
    pass.levels = levels_ + group * kGroupBytes;
    pass.column_sums = weights_.column_sums + tile * padded_columns + first_column_;
    pass.inverse_delta = weights_.inverse_delta + first_column_;
    pass.code_stride = inputs_.stride;
    pass.groups = groups_ - group < tile_groups ? groups_ - group : tile_groups;
    pass.adc_limit = weights_.adc_limit;
    pass.first = group == 0;
    return pass;
  }

  Result result(const int32_t* sums, uint64_t vector, uint64_t vectors) const {
    const uint64_t columns = weights_.columns - first_column_;
    Result result = {};
    result.sums = sums;
    result.scale = inputs_.scale + vector;
    result.gain = weights_.gain + first_column_;
    result.bias = outputs_.bias == nullptr ? nullptr : outputs_.bias + first_column_;
    result.values = outputs_.values + vector * outputs_.stride + first_column_;
    result.stride = outputs_.stride;
    result.vectors = vectors;
    result.columns = columns < kMvmBlockColumns ? static_cast<int>(columns) : kBlockColumns;
    return result;
  }

  const MvmWeights& weights_;
  const MvmInputs& inputs_;
  const MvmOutputs& outputs_;
  const uint64_t first_column_;
  const uint64_t groups_;
  const int8_t* const levels_;
};

template <class Vector, bool kAdc>
void run_block(const MvmWeights& weights, const MvmInputs& inputs, const MvmOutputs& outputs,
               uint64_t block) {
  Block<Vector, kAdc> work(weights, inputs, outputs, block);
  for (uint64_t done = 0, part; done < inputs.vectors; done += part) {
    part = even_part(inputs.vectors - done, kChunkVectors);
    work.run_chunk(done, part);
  }
}

template <class Vector>
void run_blocks(const MvmWeights& weights, const MvmInputs& inputs, const MvmOutputs& outputs,
                uint64_t block_begin, uint64_t block_end) {
  assert(weights.rows > 0 && weights.tile_rows > 0 && weights.tile_rows % kMvmRowGroup == 0);
  for (uint64_t block = block_begin; block < block_end; ++block) {
    if (weights.adc_limit > 0) {
      run_block<Vector, true>(weights, inputs, outputs, block);
    } else {
      run_block<Vector, false>(weights, inputs, outputs, block);
    }
  }
}

}  // namespace
}  // namespace sidra::kernels
