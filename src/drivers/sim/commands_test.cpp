// Arguments of commands, and what each costs. Their results are tested with what computes them.
#include "drivers/sim/commands.h"

#include <limits>

#include "drivers/sim/oracle.h"
#include "drivers/sim/test_chip.h"

namespace sidra::sim {
namespace {

std::string refusal(const std::function<void()>& body) {
  return error_of(SIDRA_STATUS_INVALID_ARGUMENT, body);
}

TEST(commands_name_the_argument_that_is_wrong) {
  TestChip chip("preset=tiny\ndevices=2");
  const uint64_t here = chip.store(std::vector<float>(16));
  const uint64_t there = chip.instance.memory.allocate(1, 64);
  float host = 0;
  CHECK(has(refusal([&] { copy_to_device(chip.stream, here + 1, &host, 64); }),
            "copy_to_device destination"));
  CHECK(has(refusal([&] { copy_to_device(chip.stream, there, &host, 4); }), "lies on device 1"));
  CHECK(has(refusal([&] { copy_to_host(chip.stream, &host, there, 4); }), "lies on device 1"));
  CHECK(has(refusal([&] { copy_on_device(chip.stream, here, here + 8, 16); }), "overlap"));
  auto args = chip.program_args({1, 2, 3, 4}, 2);
  args.values = here + 2;
  CHECK(has(refusal([&] { program(chip.stream, args); }), "not aligned to 4 bytes"));
  args.values = there;
  CHECK(has(refusal([&] { program(chip.stream, args); }), "weight values"));
  args = chip.program_args({1, 2, 3, 4}, 2);
  args.scales = here;
  CHECK(has(refusal([&] { program(chip.stream, args); }), "F32 values take no scales"));
  args.type = SIDRA_VALUE_I8;
  args.scales = 0;
  CHECK(has(refusal([&] { program(chip.stream, args); }), "I8 values need scales"));
  CHECK_EQ(chip.device.crossbars.used(), uint64_t{0});
}

TEST(commands_refuse_extents_that_overflow) {
  TestChip chip("preset=tiny");
  auto args = chip.program_args({1, 2, 3, 4}, 2);
  for (const uint64_t stride : {uint64_t{1} << 60, uint64_t{1} << 63, UINT64_MAX}) {
    args.output_stride = stride;
    CHECK(has(refusal([&] { program(chip.stream, args); }), "more than can be addressed"));
  }
}

sidra_mvm_args product(TestChip& chip, Weight& weight, uint64_t vectors) {
  sidra_mvm_args args{};
  args.weight = handle(&weight);
  args.vectors = vectors;
  args.input = chip.store(std::vector<float>(vectors * weight.inputs, 1));
  args.input_stride = weight.inputs;
  args.output = chip.store(std::vector<float>(vectors * weight.outputs));
  args.output_stride = weight.outputs;
  return args;
}

TEST(commands_mvm_refuses_bad_ranges_and_strides) {
  TestChip chip("preset=y1");
  Weight& weight = chip.program_values(random_values(12, 1), 3);
  const sidra_mvm_args good = product(chip, weight, 2);
  const auto refused = [&](sidra_mvm_args args) {
    return refusal([&] { mvm(chip.stream, args); });
  };
  auto args = good;
  args.output_stride = 2;
  CHECK(has(refused(args), "output_stride 2 is less than 3 outputs"));
  for (const float scale : {-1.0f, 1e-40f, std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()}) {
    args = good;
    args.input_scale = scale;
    CHECK(has(refused(args), "input_scale"));
  }
  args = good;
  args.input_scale = 1;
  args.input_zero = 256;
  CHECK(has(refused(args), "not a code of 0 to 255"));
  args = good;
  args.activation = static_cast<sidra_activation>(9);
  CHECK(has(refused(args), "activation 9"));
}

TEST(commands_mvm_costs_what_its_placement_says) {
  TestChip chip("preset=tiny");  // two compute units of four crossbars of 8 x 8
  Weight& weight = chip.program_values(random_values(16 * 24, 1), 16);
  auto args = product(chip, weight, 5);
  mvm(chip.stream, args);
  const Charge want = chip.device.cost.mvm({5, 24, 16, 3, 2, 3, true});
  CHECK_EQ(args.cost.chip_seconds, want.cost.chip_seconds);
  CHECK_EQ(args.cost.joules, want.cost.joules);
  CHECK_EQ(chip.device.counters().mvms, uint64_t{30});
}

TEST(commands_program_costs_its_busiest_unit) {
  TestChip chip("preset=tiny");
  auto args = chip.program_args(random_values(12 * 8, 1), 12);
  program(chip.stream, args);  // tiles of 8 and of 4 columns, in two units
  CHECK_EQ(args.cost.chip_seconds, chip.device.cost.programming({96, 8}).cost.chip_seconds);
  args = chip.program_args(random_values(12 * 24, 1), 12);
  program(chip.stream, args);  // 8 and 4 columns three times: each unit has 8 + 8 + 8 or 4 + 4 + 4
  CHECK_EQ(args.cost.chip_seconds, chip.device.cost.programming({288, 24}).cost.chip_seconds);
}

TEST(commands_update_costs_the_columns_that_change) {
  TestChip chip("preset=tiny");
  std::vector<float> values(16 * 8, 1);
  Weight& weight = chip.program_values(values, 16);
  values[1] = values[8 + 2] = values[9 * 8] = 0.5f;  // two columns of one tile, one of the other
  sidra_weight_update_args args{};
  args.weight = handle(&weight);
  args.outputs = 16;
  args.values = chip.store(values);
  args.output_stride = 8;
  args.input_stride = 1;
  update(chip.stream, args);
  CHECK_EQ(args.cells_written, uint64_t{3});
  CHECK_EQ(args.cost.chip_seconds, chip.device.cost.programming({3, 2}).cost.chip_seconds);
}

TEST(commands_copies_cost_the_link_they_cross) {
  TestChip chip("preset=tiny\ndevices=2");
  const CostModel& cost = chip.device.cost;
  const uint64_t here = chip.store(std::vector<float>(2000));
  const uint64_t there = chip.instance.memory.allocate(1, 4000);
  std::vector<float> host(1000);
  const auto same = [](const sidra_cost& a, const Charge& b) {
    CHECK_EQ(a.chip_seconds, b.cost.chip_seconds);
    CHECK_EQ(a.joules, b.cost.joules);
  };
  same(copy_to_device(chip.stream, here, host.data(), 4000), cost.host(0, 4000));
  same(copy_to_host(chip.stream, host.data(), here, 4000), cost.host(4000, 0));
  same(copy_on_device(chip.stream, here, here + 4000, 4000), cost.engine({0, 0, 8000}));
  same(copy_on_device(chip.stream, there, here, 4000), cost.host(4000, 0));
  same(copy_on_device(chip.stream, here, there, 4000), cost.host(0, 4000));
}

TEST(commands_failed_late_are_reported_late) {
  TestChip chip("preset=tiny\nqueue=thread");
  auto args = chip.program_args({1, std::numeric_limits<float>::quiet_NaN()}, 1);
  program(chip.stream, args);
  CHECK_EQ(args.cells_written, uint64_t{2});
  Weight& weight = *behind(args.weight);
  error_of(SIDRA_STATUS_INVALID_ARGUMENT, [&] { chip.stream.synchronize(); });
  auto use = product(chip, weight, 1);
  mvm(chip.stream, use);
  error_of(SIDRA_STATUS_PROGRAMMING_FAILED, [&] { chip.stream.synchronize(); });
  chip.device.destroy_weight(&weight);
}

}  // namespace
}  // namespace sidra::sim
