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

TEST(full_scale_is_the_factor_times_the_norm) {
  CHECK_EQ(of({3, 4}, 4), static_cast<float>(95.25 * 5));
  CHECK_EQ(of({-1, 1, 1}, 4), static_cast<float>(95.25 * std::sqrt(3.0)));
}

TEST(full_scale_is_of_the_greatest_row_tile) {
  CHECK_EQ(of({1, 0, 0, 0, 3, 0, 0, 4, 2}, 4), static_cast<float>(95.25 * 5));
}

TEST(full_scale_of_zeros_makes_a_step_of_one) { CHECK_EQ(of({0, 0, 0, 0, 0}, 4), 127.0f); }

TEST(full_scale_of_the_largest_tile_does_not_overflow) {
  const std::vector<int8_t> levels(4096, 127);
  CHECK_EQ(of(levels, 4096), static_cast<float>(95.25 * 127 * 64));
}

}  // namespace
}  // namespace sidra::sim
