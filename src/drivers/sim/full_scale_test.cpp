#include "drivers/sim/full_scale.h"

#include <cmath>
#include <vector>

#include "testing/check.h"

namespace sidra::sim {
namespace {

float of(const std::vector<int8_t>& levels, uint64_t rows) {
  ChipSpec spec = preset("y1");
  spec.crossbar_rows = rows;
  return full_scale(spec, levels.data(), levels.size());
}

float sigmas(uint64_t inputs, double squares, double net) {
  const double mean = 0.85 * net;
  const double deviation = 255 / (2 * std::sqrt(2 * std::log(double(inputs))));
  return static_cast<float>(3.5 * deviation * std::sqrt(squares + mean * mean));
}

TEST(full_scale_is_deviations_of_the_column_sum) {
  std::vector<int8_t> levels(100, 0);
  for (uint64_t i = 0; i < 50; ++i) levels[i] = i % 2 == 0 ? 3 : -3;
  CHECK_EQ(of(levels, 100), sigmas(100, 450, 0));
  levels[99] = 5;
  CHECK_EQ(of(levels, 100), sigmas(100, 475, 5));
}

TEST(full_scale_is_of_the_greatest_row_tile) {
  std::vector<int8_t> levels(300, 0);
  for (uint64_t i = 0; i < 300; ++i) levels[i] = i % 2 == 0 ? 1 : -1;
  for (uint64_t i = 100; i < 200; ++i) levels[i] = i % 2 == 0 ? 2 : -2;
  levels[299] = 1;
  CHECK_EQ(of(levels, 100), sigmas(300, 400, 2));
}

TEST(full_scale_is_at_most_the_greatest_sum) {
  CHECK_EQ(of({7}, 4), 255.0f * 7);
  CHECK_EQ(of({3, -5}, 4), 255.0f * 5);
}

TEST(full_scale_of_zeros_makes_a_step_of_one) { CHECK_EQ(of({0, 0, 0, 0, 0}, 4), 127.0f); }

TEST(full_scale_of_the_largest_tile_does_not_overflow) {
  std::vector<int8_t> levels(4096, 127);
  CHECK_EQ(of(levels, 4096), sigmas(4096, 127.0 * 127 * 4096, 127.0 * 4096));
}

}  // namespace
}  // namespace sidra::sim
