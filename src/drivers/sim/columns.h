// The values of a weight as they arrive, and the levels and scales they become.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "drivers/sim/spec.h"
#include "drivers/sim/weight.h"
#include "kernels/mvm/mvm.h"

namespace sidra::sim {

inline constexpr uint64_t kBlock = kernels::kMvmBlockColumns;

// New values of outputs [first, first + count), wherever they lie.
struct WeightValues {
  uint64_t first, count;
  const std::byte* values;  // element (n - first) * output_stride + k * input_stride
  uint64_t output_stride, input_stride;
  const float* scales;       // I8: [count]; F32: null
  const float* full_scales;  // [count], or null: the chip's rule
};

// Reads runs of at most kBlock outputs; keeps its buffers between them. Throws Error
// (INVALID_ARGUMENT), naming output and input, for a value or scale that no cell can have.
class Columns {
 public:
  Columns(const Weight& weight, const WeightValues& values, const ChipSpec& spec);

  // Everything of outputs [first, first + count), for the cells of an analog chip.
  void read(uint64_t first, uint64_t count);
  // The refusals of `read` alone.
  void check(uint64_t first, uint64_t count);
  // The float32 values themselves: what the cells of an exact chip hold.
  void read_exact(uint64_t first, uint64_t count, float* to);

  const int8_t* levels() const { return levels_.data(); }  // [count][inputs]
  float scale(uint64_t i) const { return scale_[i]; }
  float full_scale(uint64_t i) const { return full_scale_[i]; }

 private:
  const float* row(uint64_t i) const;  // of the outputs last gathered
  void gather_values(uint64_t first, uint64_t count);
  void check_output(uint64_t i, uint64_t output);  // and its scale
  void check_ranges(uint64_t first, uint64_t count) const;

  const Weight& weight_;
  const WeightValues& values_;
  const ChipSpec& spec_;
  const bool quantise_;            // F32 arrives
  const float* direct_ = nullptr;  // rows where they lie, when each is contiguous
  std::vector<float> rows_;        // [count][inputs], gathered, else
  std::vector<int8_t> levels_;
  float scale_[kBlock] = {};
  float full_scale_[kBlock] = {};
};

}  // namespace sidra::sim
