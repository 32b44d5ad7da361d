// For tests: the numerical contract of one product in plain loops, after
// tests/numerics/reference.py. Nothing of it is shared with what it checks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "drivers/sim/spec.h"

namespace sidra::sim {

// The nearest integer, the even one of two equally near.
inline double half_even(double x) {
  const double below = std::floor(x), rest = x - below;
  if (rest != 0.5) return rest < 0.5 ? below : below + 1;
  return std::fmod(below, 2) == 0 ? below : below + 1;
}

inline std::vector<float> random_values(uint64_t count, uint32_t seed, float spread = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, spread);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

inline double oracle_most_squares(const ChipSpec& spec, uint64_t inputs) {
  const double rows = static_cast<double>(spec.input_norm_rows);
  const double blocks = std::max(static_cast<double>(inputs), rows) / rows;
  return spec.input_limit() * spec.input_limit() * blocks;
}

struct OracleWeight {
  uint64_t outputs, inputs;
  std::vector<int> levels;  // [outputs][inputs]
  std::vector<float> scale, full_scale;
};

inline OracleWeight oracle_weight(const ChipSpec& spec, const std::vector<float>& values,
                                  uint64_t outputs) {
  OracleWeight weight{outputs, values.size() / outputs, {}, {}, {}};
  const auto adc_limit = static_cast<float>(spec.adc_limit());
  for (uint64_t n = 0; n < outputs; ++n) {
    const float* const row = values.data() + n * weight.inputs;
    float most = 0;
    for (uint64_t k = 0; k < weight.inputs; ++k) most = std::max(most, std::fabs(row[k]));
    float scale = most / 127.0f;
    if (scale == 0) scale = 1;
    weight.scale.push_back(scale);
    const double rows = static_cast<double>(weight.inputs), sigmas = spec.adc_full_scale_sigmas;
    double greatest = 0, squares = 0, sum = 0;
    for (uint64_t k = 0; k < weight.inputs; ++k) {
      const float step = row[k] / scale;
      const double level = std::clamp(half_even(step), -127.0, 127.0);
      weight.levels.push_back(static_cast<int>(level));
      if (k % spec.crossbar_rows == 0) squares = sum = 0;
      squares += level * level;
      sum += level;
      if ((k + 1) % spec.crossbar_rows != 0 && k + 1 != weight.inputs) continue;
      const double mean = spec.adc_full_scale_mean * sum;
      greatest =
          std::max(greatest, std::min(sigmas * sigmas * (squares + mean * mean), rows * squares));
    }
    const double range = std::sqrt(oracle_most_squares(spec, weight.inputs) / rows * greatest);
    weight.full_scale.push_back(greatest > 0 ? static_cast<float>(range) : adc_limit);
  }
  return weight;
}

struct OracleInput {
  std::vector<int> codes;
  float scale;
  int zero;
};

inline std::vector<int> oracle_codes(const std::vector<float>& x, float inverse, int zero,
                                     int limit) {
  std::vector<int> codes;
  for (const float value : x) {
    const float step = value * inverse;
    codes.push_back(static_cast<int>(std::clamp(half_even(step) + zero, 0.0, double(limit))));
  }
  return codes;
}

// 32 partial sums, folded in halves.
inline float oracle_squares(const std::vector<float>& x) {
  std::vector<float> sums(32);
  for (size_t k = 0; k < x.size(); ++k) {
    const float square = x[k] * x[k];
    sums[k % 32] = sums[k % 32] + square;
  }
  for (; sums.size() > 1; sums.resize(sums.size() / 2)) {
    for (size_t j = 0; j < sums.size() / 2; ++j) sums[j] += sums[j + sums.size() / 2];
  }
  return sums[0];
}

// Finite inputs of ordinary size: the rest of the rules is tested with kernels/quantize.
inline OracleInput oracle_input(const std::vector<float>& x, const ChipSpec& spec) {
  const int limit = spec.input_limit();
  float low = 0, high = 0;
  for (const float value : x) low = std::min(low, value), high = std::max(high, value);
  double span = double{high} - double{low};
  if (span == 0) return {std::vector<int>(x.size()), 1, 0};
  const double excess = oracle_squares(x) / oracle_most_squares(spec, x.size());
  if (spec.adc_bits != 0) span = std::max(span, limit * std::sqrt(excess));
  const auto inverse = static_cast<float>(limit / span);
  const int zero = static_cast<int>(half_even(-low * inverse));
  return {oracle_codes(x, inverse, zero, limit), static_cast<float>(span / limit), zero};
}

inline OracleInput oracle_input(const std::vector<float>& x, int limit, float scale, int zero) {
  return {oracle_codes(x, 1.0f / scale, zero, limit), scale, zero};
}

// One output of one vector, before the activation.
inline float oracle_output(const ChipSpec& spec, const OracleWeight& weight,
                           const OracleInput& input, uint64_t n, const float* bias) {
  const auto limit = static_cast<float>(spec.adc_limit());
  int64_t total = 0;
  for (uint64_t begin = 0; begin < weight.inputs; begin += spec.crossbar_rows) {
    int64_t sum = 0;
    for (uint64_t k = begin; k < std::min(weight.inputs, begin + spec.crossbar_rows); ++k) {
      sum += int64_t{input.codes[k] - input.zero} * weight.levels[n * weight.inputs + k];
    }
    if (spec.adc_bits == 0) {
      total += sum;
    } else {
      const float inverse_delta = limit / weight.full_scale[n];
      const float analog = static_cast<float>(sum) * inverse_delta;
      total += static_cast<int64_t>(half_even(std::clamp(analog, -limit, limit)));
    }
  }
  const float delta = weight.full_scale[n] / limit;
  const float gain = spec.adc_bits == 0 ? weight.scale[n] : delta * weight.scale[n];
  const float scaled = static_cast<float>(total) * gain;
  const float y = scaled * input.scale;
  return bias == nullptr ? y : y + bias[n];
}

}  // namespace sidra::sim
