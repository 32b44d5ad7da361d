#include "drivers/sim/columns.h"

#include <limits>

#include "drivers/sim/oracle.h"
#include "drivers/sim/test_chip.h"

namespace sidra::sim {
namespace {

constexpr uint64_t kOutputs = 20, kInputs = 19;

template <typename T>
WeightValues values_at(const std::vector<T>& from, uint64_t output_stride, uint64_t input_stride) {
  WeightValues values{};
  values.count = kOutputs;
  values.values = reinterpret_cast<const std::byte*>(from.data());
  values.output_stride = output_stride;
  values.input_stride = input_stride;
  return values;
}

struct Fixture {
  explicit Fixture(sidra_value_type type = SIDRA_VALUE_F32, const char* config = "preset=tiny")
      : chip(config), weight(chip.device, kOutputs, kInputs, type) {}

  std::vector<int> levels(const WeightValues& values, uint64_t first, uint64_t count) {
    Columns columns(weight, values, chip.spec());
    columns.read(first, count);
    return {columns.levels(), columns.levels() + count * kInputs};
  }

  TestChip chip;
  const Weight weight;
};

TEST(columns_are_read_with_any_strides) {
  Fixture fixture;
  const std::vector<float> plain = random_values(kOutputs * kInputs, 1);
  const OracleWeight oracle = oracle_weight(fixture.chip.spec(), plain, kOutputs);
  std::vector<float> transposed(plain.size()), spread(3 * plain.size());
  for (uint64_t i = 0; i < plain.size(); ++i) {
    transposed[i % kInputs * kOutputs + i / kInputs] = spread[3 * i] = plain[i];
  }
  for (const uint64_t first : {0, 7}) {
    const auto begin = oracle.levels.begin() + static_cast<int64_t>(first * kInputs);
    const std::vector<int> want(begin, begin + 13 * kInputs);
    CHECK(fixture.levels(values_at(plain, kInputs, 1), first, 13) == want);
    CHECK(fixture.levels(values_at(transposed, 1, kOutputs), first, 13) == want);
    CHECK(fixture.levels(values_at(spread, 3 * kInputs, 3), first, 13) == want);
  }
}

TEST(columns_count_from_the_first_output_given) {
  Fixture fixture;
  const std::vector<float> plain = random_values(kOutputs * kInputs, 1);
  std::vector<float> ranges(kOutputs);
  for (uint64_t n = 0; n < kOutputs; ++n) ranges[n] = static_cast<float>(100 + n);
  WeightValues values = values_at(plain, kInputs, 1);
  values.first = 5;  // plain[0] belongs to output 5
  values.full_scales = ranges.data();
  Columns columns(fixture.weight, values, fixture.chip.spec());
  columns.read(6, 2);
  const OracleWeight oracle = oracle_weight(fixture.chip.spec(), plain, kOutputs);
  CHECK_EQ(columns.scale(0), oracle.scale[1]);
  CHECK_EQ(columns.full_scale(1), 102.0f);
}

TEST(columns_of_levels_are_taken_as_they_are) {
  Fixture fixture(SIDRA_VALUE_I8);
  std::vector<int8_t> levels(kOutputs * kInputs);
  for (uint64_t i = 0; i < levels.size(); ++i) {
    levels[i] = static_cast<int8_t>(static_cast<int>(i % 255) - 127);
  }
  const std::vector<float> scales(kOutputs, 0.25f);
  WeightValues values = values_at(levels, kInputs, 1);
  values.scales = scales.data();
  CHECK(fixture.levels(values, 0, kOutputs) == std::vector<int>(levels.begin(), levels.end()));
  std::vector<float> exact(kOutputs * kInputs);
  Columns(fixture.weight, values, fixture.chip.spec()).read_exact(0, kOutputs, exact.data());
  CHECK_EQ(exact[3], -124 * 0.25f);
  levels[2 * kInputs + 1] = -128;
  CHECK(has(error_of(SIDRA_STATUS_INVALID_ARGUMENT, [&] { fixture.levels(values, 0, 3); }),
            "level -128 of output 2, input 1"));
}

TEST(columns_checked_are_refused_as_when_read) {
  Fixture fixture;
  std::vector<float> plain(kOutputs * kInputs, 1);
  plain[7 * kInputs + 2] = std::numeric_limits<float>::infinity();
  std::vector<float> transposed(plain.size());
  for (uint64_t i = 0; i < plain.size(); ++i) {
    transposed[i % kInputs * kOutputs + i / kInputs] = plain[i];
  }
  for (const WeightValues& values :
       {values_at(plain, kInputs, 1), values_at(transposed, 1, kOutputs)}) {
    Columns columns(fixture.weight, values, fixture.chip.spec());
    columns.check(0, 7);
    for (const bool read : {false, true}) {
      const auto text = error_of(SIDRA_STATUS_INVALID_ARGUMENT,
                                 [&] { read ? columns.read(5, 5) : columns.check(5, 5); });
      CHECK(has(text, "value inf of output 7, input 2 is not finite"));
    }
  }
}

TEST(columns_without_adc_need_no_ranges) {
  Fixture fixture(SIDRA_VALUE_F32, "preset=tiny\nadc_bits=0");
  const std::vector<float> plain = random_values(kOutputs * kInputs, 1);
  const std::vector<float> nonsense(kOutputs, -1);
  WeightValues values = values_at(plain, kInputs, 1);
  values.full_scales = nonsense.data();
  Columns(fixture.weight, values, fixture.chip.spec()).read(0, kOutputs);
}

}  // namespace
}  // namespace sidra::sim
