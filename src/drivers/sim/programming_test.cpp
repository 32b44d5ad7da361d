#include "drivers/sim/programming.h"

#include <limits>
#include <numeric>

#include "drivers/sim/oracle.h"
#include "drivers/sim/test_chip.h"
#include "kernels/mvm/mvm.h"

namespace sidra::sim {
namespace {

std::vector<int> levels_of(const Weight& weight) {
  std::vector<int8_t> levels(weight.outputs * weight.inputs);
  kernels::mvm_unpack(weight.levels.data(), 0, weight.outputs, weight.inputs, levels.data());
  return {levels.begin(), levels.end()};
}

sidra_weight_update_args update_args(TestChip& chip, Weight& weight,
                                     const std::vector<float>& values, uint64_t first,
                                     uint64_t count) {
  sidra_weight_update_args args{};
  args.weight = handle(&weight);
  args.first_output = first;
  args.outputs = count;
  args.values = chip.store(values);
  args.output_stride = weight.inputs;
  args.input_stride = 1;
  return args;
}

TEST(programming_holds_the_oracles_levels_and_ranges) {
  TestChip chip("preset=y1", two_thread_services());
  for (const uint64_t outputs : {1, 63, 64, 65, 300}) {
    for (const uint64_t inputs : {1, 255, 256, 257, 600}) {
      const std::vector<float> values = random_values(outputs * inputs, 5);
      const Weight& weight = chip.program_values(values, outputs);
      const OracleWeight oracle = oracle_weight(chip.spec(), values, outputs);
      CHECK(levels_of(weight) == oracle.levels);
      for (uint64_t n = 0; n < outputs; ++n) {
        CHECK_EQ(weight.inverse_delta[n], 127.0f / oracle.full_scale[n]);
        CHECK_EQ(weight.gain[n], (oracle.full_scale[n] / 127.0f) * oracle.scale[n]);
      }
    }
  }
}

TEST(programming_without_adc_keeps_the_weight_scale) {
  TestChip chip("adc_bits=0");
  const std::vector<float> values = random_values(12, 5);
  const Weight& weight = chip.program_values(values, 3);
  const OracleWeight oracle = oracle_weight(chip.spec(), values, 3);
  for (uint64_t n = 0; n < 3; ++n) CHECK_EQ(weight.gain[n], oracle.scale[n]);
}

TEST(programming_reads_any_strides) {
  TestChip chip("preset=y1");
  constexpr uint64_t kOutputs = 70, kInputs = 33;
  const std::vector<float> values = random_values(kOutputs * kInputs, 6);
  const std::vector<int> want = levels_of(chip.program_values(values, kOutputs));
  std::vector<float> spread(3 * kOutputs * kInputs), transposed(values.size());
  for (uint64_t i = 0; i < values.size(); ++i) {
    spread[3 * i] = values[i];
    transposed[i % kInputs * kOutputs + i / kInputs] = values[i];
  }
  auto args = chip.program_args(values, kOutputs);
  args.values = chip.store(transposed);
  args.output_stride = 1;
  args.input_stride = kOutputs;
  program(chip.stream, args);
  CHECK(levels_of(*behind(args.weight)) == want);
  args.values = chip.store(spread);
  args.output_stride = 3 * kInputs;
  args.input_stride = 3;
  program(chip.stream, args);
  CHECK(levels_of(*behind(args.weight)) == want);
}

TEST(programming_repeats_with_stride_zero) {
  TestChip chip("preset=tiny");
  auto args = chip.program_args({1, 2, 3, 4}, 4);
  args.inputs = 2;
  args.output_stride = 1;
  args.input_stride = 0;
  program(chip.stream, args);
  CHECK(levels_of(*behind(args.weight)) == std::vector<int>(8, 127));
  CHECK_EQ(args.cells_written, uint64_t{8});
}

TEST(programming_takes_levels_as_they_are) {
  TestChip chip("adc_bits=0");
  auto args = chip.program_args(std::vector<float>(4), 2);
  args.type = SIDRA_VALUE_I8;
  args.values = chip.store(std::vector<int8_t>{127, -127, 0, 5});
  args.scales = chip.store(std::vector<float>{0.5f, -3});
  program(chip.stream, args);
  const Weight& weight = *behind(args.weight);
  CHECK(levels_of(weight) == std::vector<int>({127, -127, 0, 5}));
  CHECK_EQ(weight.gain[0], 0.5f);
  CHECK_EQ(weight.gain[1], -3.0f);
}

TEST(programming_refuses_level_minus_128) {
  TestChip chip("preset=tiny");
  auto args = chip.program_args(std::vector<float>(4), 2);
  args.type = SIDRA_VALUE_I8;
  args.values = chip.store(std::vector<int8_t>{1, 2, 3, -128});
  args.scales = chip.store(std::vector<float>{1, 1});
  const auto text = error_of(SIDRA_STATUS_INVALID_ARGUMENT, [&] { program(chip.stream, args); });
  CHECK(has(text, "-128") && has(text, "output 1") && has(text, "input 1"));
}

TEST(programming_refuses_what_no_cell_holds) {
  TestChip chip("preset=tiny");
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    std::vector<float> values(15, 1);
    values[2 * 5 + 3] = bad;
    const auto text =
        error_of(SIDRA_STATUS_INVALID_ARGUMENT, [&] { chip.program_values(values, 3); });
    CHECK(has(text, "output 2") && has(text, "input 3") && has(text, bad < 0 ? "-inf" : "nan"));
  }
  CHECK_EQ(chip.device.crossbars.used(), uint64_t{0});
}

TEST(programming_refuses_bad_scales_and_ranges) {
  TestChip chip("preset=tiny");
  auto levels = chip.program_args(std::vector<float>(2), 2);
  levels.type = SIDRA_VALUE_I8;
  levels.scales = chip.store(std::vector<float>{1, std::numeric_limits<float>::infinity()});
  CHECK(has(error_of(SIDRA_STATUS_INVALID_ARGUMENT, [&] { program(chip.stream, levels); }),
            "scale inf of output 1"));
  for (const float bad : {0.0f, -1.0f, 1e-39f, 1e-37f, std::numeric_limits<float>::infinity()}) {
    auto args = chip.program_args({1, 2}, 2);
    args.full_scales = chip.store(std::vector<float>{1, bad});
    CHECK(has(error_of(SIDRA_STATUS_INVALID_ARGUMENT, [&] { program(chip.stream, args); }),
              "full scale"));
  }
}

TEST(programming_takes_given_ranges) {
  TestChip chip("preset=tiny");
  auto args = chip.program_args({1, 2}, 2);
  args.full_scales = chip.store(std::vector<float>{1000, 3});
  program(chip.stream, args);
  CHECK_EQ(behind(args.weight)->inverse_delta[0], 127.0f / 1000.0f);
  CHECK_EQ(behind(args.weight)->inverse_delta[1], 127.0f / 3.0f);
}

TEST(programming_refuses_sums_beyond_int32) {
  TestChip chip("adc_bits=0\nclusters=1000");
  const uint64_t most = INT32_MAX / (255 * 127 * 256) * 256;
  CHECK_EQ(chip.device.create_weight(1, most, SIDRA_VALUE_F32)->inputs, most);
  CHECK(has(error_of(SIDRA_STATUS_UNSUPPORTED,
                     [&] { chip.device.create_weight(1, most + 1, SIDRA_VALUE_F32); }),
            std::to_string(most)));
}

// ---- updates --------------------------------------------------------------------------------

TEST(programming_update_equals_programming_anew) {
  for (const char* config : {"preset=y1", "adc_bits=0", "preset=ideal"}) {
    TestChip chip(config, two_thread_services());
    constexpr uint64_t kOutputs = 200, kInputs = 300, kFirst = 37, kCount = 101;
    std::vector<float> values = random_values(kOutputs * kInputs, 1);
    Weight& weight = chip.program_values(values, kOutputs);
    const std::vector<float> part = random_values(kCount * kInputs, 2);
    std::copy(part.begin(), part.end(), values.begin() + kFirst * kInputs);
    auto args = update_args(chip, weight, part, kFirst, kCount);
    update(chip.stream, args);
    const Weight& anew = chip.program_values(values, kOutputs);
    const auto same = [](const auto& a, const auto& b) {
      return a.size() == b.size() && std::equal(a.data(), a.data() + a.size(), b.data());
    };
    CHECK(same(weight.levels, anew.levels));
    CHECK(same(weight.column_sums, anew.column_sums));
    CHECK(same(weight.inverse_delta, anew.inverse_delta));
    CHECK(same(weight.gain, anew.gain));
    CHECK(same(weight.values, anew.values));
  }
}

TEST(programming_update_counts_cells_whose_level_changes) {
  TestChip chip("preset=tiny");
  std::vector<float> values(10 * 9, 0);
  for (uint64_t n = 0; n < 10; ++n) values[n * 9] = 127;
  Weight& weight = chip.program_values(values, 10);
  values[4 * 9 + 1] = 0.4f;  // rounds to the level it has
  values[4 * 9 + 2] = 3;
  values[4 * 9 + 8] = -7;  // in the second row tile
  values[9 * 9 + 2] = 1;   // in the second column tile
  auto args = update_args(chip, weight, values, 0, 10);
  update(chip.stream, args);
  CHECK_EQ(args.cells_written, uint64_t{3});
  CHECK_EQ(weight.cells_written.load(), uint64_t{93});
  auto again = update_args(chip, weight, values, 0, 10);
  update(chip.stream, again);
  CHECK_EQ(again.cells_written, uint64_t{0});
  CHECK_EQ(again.cost.chip_seconds, 0.0);
  CHECK_EQ(again.cost.joules, 0.0);
}

TEST(programming_written_columns_are_counted_by_tile) {
  TestChip chip("preset=tiny");
  std::vector<float> values(10 * 9, 0);
  for (uint64_t n = 0; n < 10; ++n) values[n * 9] = 127;
  Weight& weight = chip.program_values(values, 10);
  values[1 * 9 + 2] = values[1 * 9 + 3] = 3;  // one column of tile (0, 0)
  values[2 * 9 + 2] = 3;                      // another
  values[9 * 9 + 8] = 3;                      // one of tile (1, 1)
  WeightValues from{0,       10,     reinterpret_cast<const std::byte*>(values.data()), 9, 1,
                    nullptr, nullptr};
  const Written written = update_weight(weight, from, chip.spec(), chip.instance.host);
  CHECK_EQ(written.cells, uint64_t{4});
  CHECK(written.columns == std::vector<uint64_t>({2, 0, 0, 1}));
}

TEST(programming_update_that_is_refused_changes_nothing) {
  TestChip chip("preset=y1");
  const std::vector<float> values = random_values(200 * 10, 3);
  Weight& weight = chip.program_values(values, 200);
  const std::vector<int> before = levels_of(weight);
  std::vector<float> bad = random_values(200 * 10, 4);
  bad[199 * 10] = std::numeric_limits<float>::quiet_NaN();
  auto args = update_args(chip, weight, bad, 0, 200);
  error_of(SIDRA_STATUS_INVALID_ARGUMENT, [&] { update(chip.stream, args); });
  CHECK(levels_of(weight) == before);
  CHECK_EQ(weight.cells_written.load(), uint64_t{2000});
}

TEST(programming_update_of_a_failed_weight_is_refused) {
  TestChip chip("preset=tiny");
  Weight& weight = *chip.device.create_weight(1, 1, SIDRA_VALUE_F32);
  auto args = update_args(chip, weight, {1}, 0, 1);
  error_of(SIDRA_STATUS_PROGRAMMING_FAILED, [&] { update(chip.stream, args); });
}

TEST(programming_keeps_little_more_than_the_levels) {
  TestChip chip("preset=y1");
  for (const uint64_t outputs : {768, 3072}) {
    for (const uint64_t inputs : {768, 3072}) {
      const Weight& weight = chip.program_values(random_values(outputs * inputs, 1), outputs);
      CHECK(static_cast<double>(weight.host_bytes()) <
            1.05 * static_cast<double>(outputs * inputs));
    }
  }
}

}  // namespace
}  // namespace sidra::sim
