// A weight and its products, with an oracle in double and a bound on what converters may add.
//
// Bound of one output, from the arithmetic of driver.h with steps of one code (half of that is
// the rounding; the other half is for the choice of zero and of the range's ends):
//   |y - exact| <= sum over k of (|x_k| s_w + s_x (|w_k| + s_w)) + tiles * delta * s_w * s_x
// s_w = max |w| / 127, s_x = (max x - min x, with 0 between) / (2^dac_bits - 1), and
// delta = full scale / (2^(adc_bits - 1) - 1) of a full scale that no sum leaves.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "drivers/conformance/target.h"

namespace sidra::conformance {

struct Shape {
  uint64_t outputs, inputs, vectors;
};

// Operands of a product in host memory.
struct Problem {
  explicit Problem(const Shape& s, uint32_t seed = 1) : shape(s) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    weight.resize(s.outputs * s.inputs);
    input.resize(s.vectors * s.inputs);
    bias.resize(s.outputs);
    for (float& value : weight) value = uniform(random);
    for (float& value : input) value = uniform(random);
    for (float& value : bias) value = uniform(random);
  }

  double product(uint64_t m, uint64_t n) const {
    double sum = 0;
    for (uint64_t k = 0; k < shape.inputs; ++k) {
      sum += double{input[m * shape.inputs + k]} * weight[n * shape.inputs + k];
    }
    return sum;
  }

  Shape shape;
  std::vector<float> weight;  // [outputs][inputs]
  std::vector<float> input;   // [vectors][inputs]
  std::vector<float> bias;    // [outputs]
};

// A weight in crossbars; freed at the end.
class Weight {
 public:
  Weight(sidra_stream* stream, sidra_weight_program_args args);
  ~Weight();
  Weight(const Weight&) = delete;
  Weight& operator=(const Weight&) = delete;

  operator sidra_weight*() const { return args_.weight; }
  const sidra_weight_program_args& programmed() const { return args_; }
  sidra_weight_info info() const;

 private:
  sidra_weight_program_args args_;
};

sidra_weight_program_args program_args(uint64_t values, const Shape& shape);
sidra_mvm_args mvm_args(const sidra_weight* weight, const Shape& shape, uint64_t input,
                        uint64_t output);

class Bound {
 public:
  Bound(const Problem& problem, const sidra_device_properties& properties);

  // Ranges for weight_program: [outputs], input code x level.
  const std::vector<float>& full_scales() const { return full_scales_; }
  double of(uint64_t m, uint64_t n) const;
  // Fails unless `got` [vectors][outputs] is the product of the problem, plus bias and then relu
  // when asked, within the bound.
  void check(const std::vector<float>& got, bool bias = false, bool relu = false) const;
  // Whether the bound says anything: it is below the products it is about.
  bool tells() const;

 private:
  void find_steps();
  void find_full_scales();

  const Problem& problem_;
  const bool exact_;
  double code_limit_, adc_limit_;
  uint64_t tile_rows_;
  std::vector<double> code_steps_;   // [vectors]
  std::vector<double> level_steps_;  // [outputs]
  std::vector<float> full_scales_;
};

}  // namespace sidra::conformance
