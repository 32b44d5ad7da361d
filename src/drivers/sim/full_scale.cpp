#include "drivers/sim/full_scale.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace sidra::sim {
namespace {

// Standard deviation of the input codes of K normal values; infinite for one value, which has no
// spread of its own.
double code_deviation(const ChipSpec& spec, uint64_t inputs) {
  return spec.input_limit() / (2.0 * std::sqrt(2.0 * std::log(static_cast<double>(inputs))));
}

struct TileSums {
  int32_t squares = 0, positive = 0, negative = 0;  // at most 4096 rows: 4096 * 128^2 fits

  void add(int32_t level) {
    squares += level * level;
    (level > 0 ? positive : negative) += std::abs(level);
  }
};

}  // namespace

float full_scale(const ChipSpec& spec, const int8_t* levels, uint64_t inputs) {
  int32_t squares = 0, one_sided = 0, net = 0;
  for (uint64_t begin = 0; begin < inputs; begin += spec.crossbar_rows) {
    const uint64_t end = std::min(inputs, begin + spec.crossbar_rows);
    TileSums tile;
    for (uint64_t i = begin; i < end; ++i) tile.add(levels[i]);
    squares = std::max(squares, tile.squares);
    one_sided = std::max({one_sided, tile.positive, tile.negative});
    net = std::max(net, std::abs(tile.positive - tile.negative));
  }
  if (squares == 0) return static_cast<float>(spec.adc_limit());
  const double mean = spec.adc_full_scale_mean * net;
  const double expected =
      spec.adc_full_scale_sigmas * code_deviation(spec, inputs) * std::sqrt(squares + mean * mean);
  return static_cast<float>(
      std::min(expected, static_cast<double>(spec.input_limit()) * one_sided));
}

}  // namespace sidra::sim
