#include "drivers/sim/levels.h"

#include <cmath>
#include <limits>
#include <vector>

#include "drivers/sim/oracle.h"
#include "testing/check.h"

namespace sidra::sim {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kTiny = std::numeric_limits<float>::denorm_min();

float scale_of(const std::vector<float>& values) {
  return weight_scale(greatest_magnitude(values.data(), values.size()), 127);
}

std::vector<int> levels_of(const std::vector<float>& values) {
  std::vector<int8_t> levels(values.size());
  quantize_levels(values.data(), values.size(), scale_of(values), 127, levels.data());
  return {levels.begin(), levels.end()};
}

TEST(levels_are_the_oracles) {
  ChipSpec spec;
  spec.crossbar_rows = 256;
  for (const float spread : {1e-38f, 1e-3f, 1.0f, 1e30f}) {
    for (const uint64_t count : {1, 5, 64, 1001}) {
      const std::vector<float> values = random_values(count, 9, spread);
      const OracleWeight weight = oracle_weight(spec, values, 1);
      CHECK_EQ(scale_of(values), weight.scale[0]);
      CHECK(levels_of(values) == weight.levels);
    }
  }
}

TEST(levels_of_ties_are_even) {
  CHECK(levels_of({127, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -126.5f}) ==
        std::vector<int>({127, 0, 2, 2, 0, -2, -126}));
}

TEST(levels_reach_the_limits_and_no_further) {
  CHECK(levels_of({1e-45f, -1e-45f}) == levels_of({kTiny, -kTiny}));
  CHECK(levels_of({3.4e38f, -3.4e38f, 0}) == std::vector<int>({127, -127, 0}));
  // The scale of 190 smallest numbers rounds to one of them: 190 steps, clipped.
  CHECK(levels_of({190 * kTiny, -190 * kTiny, kTiny}) == std::vector<int>({127, -127, 1}));
}

TEST(levels_of_zeros_have_scale_one) {
  const std::vector<float> zeros = {0.0f, -0.0f};
  CHECK_EQ(scale_of(zeros), 1.0f);
  CHECK(levels_of(zeros) == std::vector<int>({0, 0}));
  CHECK_EQ(scale_of({kTiny}), 1.0f);  // max / 127 is below every float
}

TEST(levels_find_the_first_value_that_is_not_finite) {
  std::vector<float> values(100, 3.4e38f);
  CHECK_EQ(first_not_finite(values.data(), 100), uint64_t{100});
  values[77] = -kInfinity;
  values[80] = std::nanf("");
  CHECK_EQ(first_not_finite(values.data(), 100), uint64_t{77});
  CHECK_EQ(first_not_finite(values.data() + 78, 22), uint64_t{2});
}

TEST(levels_see_what_is_not_finite_in_the_magnitude) {
  std::vector<float> values = {1, -3, 2};
  CHECK_EQ(greatest_magnitude(values.data(), 3), 3.0f);
  values[0] = -kInfinity;
  CHECK_EQ(greatest_magnitude(values.data(), 3), kInfinity);
  values[1] = -std::nanf("");
  CHECK(std::isnan(greatest_magnitude(values.data(), 3)));
}

}  // namespace
}  // namespace sidra::sim
