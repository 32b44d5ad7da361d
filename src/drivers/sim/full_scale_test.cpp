#include "drivers/sim/full_scale.h"

#include <algorithm>
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

// y1's rule, while the bound for any inputs lies above it.
float sigmas(uint64_t inputs, double squares, double sum) {
  const double mean = 0.35 * sum;
  const double mean_square = 255 * 255 / std::min(160.0, static_cast<double>(inputs));
  return static_cast<float>(std::sqrt(mean_square * (25 * (squares + mean * mean))));
}

bool near(float a, float b) { return std::fabs(a - b) <= 1e-6f * b; }

TEST(full_scale_is_deviations_of_the_column_sum) {
  std::vector<int8_t> levels(100, 0);
  for (uint64_t i = 0; i < 50; ++i) levels[i] = i % 2 == 0 ? 3 : -3;
  CHECK(near(of(levels, 100), sigmas(100, 450, 0)));
  levels[99] = 5;
  CHECK(near(of(levels, 100), sigmas(100, 475, 5)));
}

TEST(full_scale_is_of_the_greatest_row_tile) {
  std::vector<int8_t> levels(300, 0);
  for (uint64_t i = 0; i < 300; ++i) levels[i] = i % 2 == 0 ? 1 : -1;
  for (uint64_t i = 100; i < 200; ++i) levels[i] = i % 2 == 0 ? 2 : -2;
  CHECK(near(of(levels, 100), sigmas(300, 400, 0)));
  levels[199] = 2;
  CHECK(near(of(levels, 100), sigmas(300, 400, 4)));
}

TEST(full_scale_is_at_most_what_the_norms_allow) {
  CHECK_EQ(of({7}, 4), 255.0f * 7);
  CHECK_EQ(of({3, -4}, 4), 255.0f * 5);
}

TEST(full_scale_of_zeros_makes_a_step_of_one) { CHECK_EQ(of({0, 0, 0, 0, 0}, 4), 127.0f); }

TEST(full_scale_of_the_largest_tile_does_not_overflow) {
  std::vector<int8_t> levels(4096, 127);
  CHECK(near(of(levels, 4096), std::sqrt(65025.0f / 160) * 64 * (127 * 64)));
}

}  // namespace
}  // namespace sidra::sim
