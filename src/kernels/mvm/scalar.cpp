// The definition of the family in plain C++: mvm.h, line by line.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "kernels/mvm/kernels.h"

namespace sidra::kernels {
namespace {

int8_t level(const MvmWeights& weights, uint64_t row, uint64_t column) {
  const uint64_t block = column / kMvmBlockColumns, lane = column % kMvmBlockColumns;
  const uint64_t groups = mvm_padded_rows(weights.rows) / kMvmRowGroup;
  const uint64_t group = block * groups + row / kMvmRowGroup;
  return weights.levels[(group * kMvmBlockColumns + lane) * kMvmRowGroup + row % kMvmRowGroup];
}

// v of the rows [begin, end). Unsigned arithmetic, because a sum that does not fit int32 wraps.
int32_t tile_product(const MvmWeights& weights, const uint8_t* codes, int32_t zero, uint64_t begin,
                     uint64_t end, uint64_t column) {
  uint32_t sum = 0;
  for (uint64_t row = begin; row < end; ++row) {
    const uint32_t code = uint32_t{codes[row]} - static_cast<uint32_t>(zero);
    sum += code * static_cast<uint32_t>(int32_t{level(weights, row, column)});
  }
  return static_cast<int32_t>(sum);
}

int32_t convert(int32_t value, float inverse_delta, float limit) {
  float scaled = static_cast<float>(value) * inverse_delta;
  scaled = scaled < limit ? scaled : limit;
  scaled = scaled > -limit ? scaled : -limit;
  return static_cast<int32_t>(std::nearbyint(scaled));
}

float output(const MvmWeights& weights, const MvmInputs& inputs, const MvmOutputs& outputs,
             uint64_t vector, uint64_t column) {
  const uint8_t* codes = inputs.codes + vector * inputs.stride;
  uint32_t sum = 0;
  for (uint64_t begin = 0; begin < weights.rows; begin += weights.tile_rows) {
    const uint64_t end = std::min(begin + weights.tile_rows, weights.rows);
    int32_t value = tile_product(weights, codes, inputs.zero[vector], begin, end, column);
    if (weights.adc_limit > 0) {
      value = convert(value, weights.inverse_delta[column], weights.adc_limit);
    }
    sum += static_cast<uint32_t>(value);
  }
  float y = static_cast<float>(static_cast<int32_t>(sum)) * weights.gain[column];
  y = y * inputs.scale[vector];
  if (outputs.bias != nullptr) y = y + outputs.bias[column];
  return outputs.relu && y < 0 ? 0.0f : y;
}

}  // namespace

void mvm_u8i8i32_1x1_scalar(const MvmWeights& weights, const MvmInputs& inputs,
                            const MvmOutputs& outputs, uint64_t block_begin, uint64_t block_end) {
  assert(weights.tile_rows > 0 && weights.tile_rows % kMvmRowGroup == 0);
  const uint64_t end = std::min(block_end * kMvmBlockColumns, weights.columns);
  for (uint64_t vector = 0; vector < inputs.vectors; ++vector) {
    for (uint64_t column = block_begin * kMvmBlockColumns; column < end; ++column) {
      outputs.values[vector * outputs.stride + column] =
          output(weights, inputs, outputs, vector, column);
    }
  }
}

}  // namespace sidra::kernels
