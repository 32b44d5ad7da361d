// A product to compute in tests: seeded operands in exactly sized buffers with guards around what
// is written, and an oracle in int64 and double.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/mvm/kernels.h"

namespace sidra::kernels {

struct Shape {
  uint64_t vectors = 3, rows = 20, columns = 65, tile_rows = 256;
  float adc_limit = 127;
  bool bias = true, relu = false;
  uint64_t code_gap = 0, value_gap = 0;  // elements between one vector and the next
  uint64_t misalign = 0;                 // bytes of every operand, elements of f32 and i32

  std::string text() const {
    return "M=" + std::to_string(vectors) + " K=" + std::to_string(rows) +
           " N=" + std::to_string(columns) + " tile_rows=" + std::to_string(tile_rows) +
           " adc_limit=" + std::to_string(adc_limit) + (bias ? " bias" : "") +
           (relu ? " relu" : "");
  }
};

// The nearest integer, the even one of two equally near: independent of the rounding mode.
inline double half_even(double x) {
  const double below = std::floor(x), rest = x - below;
  if (rest != 0.5) return rest < 0.5 ? below : below + 1;
  return std::fmod(below, 2) == 0 ? below : below + 1;
}

// A float32 operation: the exact result is formed in double (a sum of two floats is rounded there
// once more, which changes no result: 53 >= 2 * 24 + 2), then rounded.
inline float rounded(double x) { return static_cast<float>(x); }

class Problem {
 public:
  static constexpr float kGuard = -12345.0f;
  static constexpr uint64_t kGuards = 16;

  explicit Problem(const Shape& shape, uint32_t seed = 1) : shape_(shape), random_(seed) {
    levels_.resize(shape.columns * shape.rows);
    for (int8_t& level : levels_) level = static_cast<int8_t>(uniform(-127, 127));
    code_stride_ = mvm_padded_rows(shape.rows) + shape.code_gap;
    // The last vector ends where the contract lets a kernel read, not at the stride.
    const uint64_t code_bytes = (shape.vectors - 1) * code_stride_ + mvm_padded_rows(shape.rows);
    codes_.resize(shape.misalign + code_bytes);
    for (uint8_t& code : codes_) code = static_cast<uint8_t>(uniform(0, 255));
    for (uint64_t m = 0; m < shape.vectors; ++m) zero_.push_back(uniform(0, 255));
    for (uint64_t m = 0; m < shape.vectors; ++m) scale_.push_back(real(1e-3f, 1e-1f));
    for (uint64_t n = 0; n < shape.columns; ++n) bias_.push_back(real(-2, 2));
    fill_columns();
    pack();
  }

  // Operands, to be changed before pack().
  int8_t& level(uint64_t column, uint64_t row) { return levels_[column * shape_.rows + row]; }
  uint8_t& code(uint64_t vector, uint64_t row) {
    return codes_[shape_.misalign + vector * code_stride_ + row];
  }
  int32_t& zero(uint64_t vector) { return zero_[vector]; }
  float& scale(uint64_t vector) { return scale_[vector]; }
  float& inverse_delta(uint64_t column) { return inverse_delta_[shape_.misalign + column]; }
  float& gain(uint64_t column) { return gain_[shape_.misalign + column]; }
  float& bias(uint64_t column) { return bias_[column]; }
  const Shape& shape() const { return shape_; }

  void pack() {
    const uint64_t tiles = (shape_.rows + shape_.tile_rows - 1) / shape_.tile_rows;
    packed_.assign(shape_.misalign + mvm_packed_bytes(shape_.rows, shape_.columns), 99);
    column_sums_.assign(shape_.misalign + tiles * padded_columns(), 99);
    mvm_pack(levels_.data(), 0, shape_.columns, shape_.rows, shape_.columns, shape_.tile_rows,
             packed_.data() + shape_.misalign, column_sums_.data() + shape_.misalign);
  }

  // The outputs of `function`, with everything around and between them.
  std::vector<float> run(MvmFunction function) const {
    return run(function, 0, mvm_column_blocks(shape_.columns));
  }
  std::vector<float> run(MvmFunction function, uint64_t block_begin, uint64_t block_end) const {
    std::vector<float> all(2 * kGuards + shape_.misalign + shape_.vectors * value_stride(), kGuard);
    const uint64_t at = shape_.misalign;
    const MvmWeights weights = {packed_.data() + at,
                                column_sums_.data() + at,
                                shape_.adc_limit > 0 ? inverse_delta_.data() + at : nullptr,
                                gain_.data() + at,
                                shape_.rows,
                                shape_.columns,
                                shape_.tile_rows,
                                shape_.adc_limit};
    const MvmInputs inputs = {codes_.data() + at, code_stride_, zero_.data(), scale_.data(),
                              shape_.vectors};
    const MvmOutputs outputs = {all.data() + kGuards + at, value_stride(),
                                shape_.bias ? bias_.data() : nullptr, shape_.relu};
    function(weights, inputs, outputs, block_begin, block_end);
    return all;
  }

  // What run() must return for the whole product.
  std::vector<float> expected() const {
    std::vector<float> all(2 * kGuards + shape_.misalign + shape_.vectors * value_stride(), kGuard);
    for (uint64_t m = 0; m < shape_.vectors; ++m) {
      for (uint64_t n = 0; n < shape_.columns; ++n) all[index(m, n)] = expected(m, n);
    }
    return all;
  }

  // Where the output of one vector and column is in run().
  uint64_t index(uint64_t vector, uint64_t column) const {
    return kGuards + shape_.misalign + vector * value_stride() + column;
  }

 private:
  int uniform(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<uint32_t>(high - low + 1));
  }
  float real(float low, float high) {
    return low + (high - low) * (static_cast<float>(random_() >> 8) / (1 << 24));
  }
  uint64_t padded_columns() const { return mvm_column_blocks(shape_.columns) * kMvmBlockColumns; }
  uint64_t value_stride() const { return shape_.columns + shape_.value_gap; }

  // Ranges of the ADC that clip some values, and NaN behind the last column: it must not matter.
  void fill_columns() {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const uint64_t tile = std::min(shape_.rows, shape_.tile_rows);
    const float spread = 90.0f * 73.0f * std::sqrt(static_cast<float>(tile));
    inverse_delta_.assign(shape_.misalign + padded_columns(), nan);
    gain_.assign(shape_.misalign + padded_columns(), nan);
    for (uint64_t n = 0; n < shape_.columns; ++n) {
      inverse_delta(n) = 127.0f / (spread * real(0.5f, 3.0f));
      gain(n) = real(0.01f, 2.0f);
    }
  }

  float expected(uint64_t m, uint64_t n) const {
    const uint8_t* codes = codes_.data() + shape_.misalign + m * code_stride_;
    const double inverse = inverse_delta_[shape_.misalign + n], limit = shape_.adc_limit;
    int64_t sum = 0;
    for (uint64_t begin = 0; begin < shape_.rows; begin += shape_.tile_rows) {
      int64_t v = 0;
      for (uint64_t k = begin; k < std::min(begin + shape_.tile_rows, shape_.rows); ++k) {
        v += (int64_t{codes[k]} - zero_[m]) * levels_[n * shape_.rows + k];
      }
      if (limit > 0) {
        const double scaled = rounded(double{static_cast<float>(v)} * inverse);
        v = static_cast<int64_t>(std::min(std::max(half_even(scaled), -limit), limit));
      }
      sum += v;
    }
    float y = rounded(double{static_cast<float>(sum)} * gain_[shape_.misalign + n]);
    y = rounded(double{y} * scale_[m]);
    if (shape_.bias) y = rounded(double{y} + bias_[n]);
    return shape_.relu && y < 0 ? 0.0f : y;
  }

  Shape shape_;
  std::mt19937 random_;
  uint64_t code_stride_;
  std::vector<int8_t> levels_;  // [columns][rows]
  std::vector<int8_t> packed_;
  std::vector<int32_t> column_sums_;
  std::vector<uint8_t> codes_;
  std::vector<int32_t> zero_;
  std::vector<float> scale_, bias_, inverse_delta_, gain_;
};

// "" when equal bit for bit, else the first difference.
inline std::string difference(const std::vector<float>& got, const std::vector<float>& want,
                              const Shape& shape) {
  if (got.size() != want.size()) return "sizes differ";
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::memcmp(&got[i], &want[i], sizeof(float)) == 0) continue;
    return shape.text() + ": element " + std::to_string(i) + " is " + std::to_string(got[i]) +
           ", expected " + std::to_string(want[i]);
  }
  return "";
}

}  // namespace sidra::kernels
