// Weights in crossbars: programming, updates, what they take, refusals.
#include <limits>

#include "drivers/conformance/matrix.h"

namespace sidra::conformance {
namespace {

uint64_t tiles(uint64_t length, uint64_t tile) { return (length + tile - 1) / tile; }

TEST(weight_takes_a_crossbar_for_each_tile) {
  const Session session;
  const Stream stream(session);
  const sidra_device_properties chip = session.properties();
  for (const Shape shape : {Shape{1, 1, 0}, Shape{chip.crossbar_columns, chip.crossbar_rows, 0},
                            Shape{chip.crossbar_columns + 1, chip.crossbar_rows + 1, 0}}) {
    const Problem problem(shape);
    const Values<float> values(session, stream, problem.weight);
    const Weight weight(stream, program_args(values.address(), shape));
    stream.synchronize();
    const sidra_weight_info info = weight.info();
    CHECK_EQ(info.outputs, shape.outputs);
    CHECK_EQ(info.inputs, shape.inputs);
    CHECK_EQ(info.crossbars,
             tiles(shape.outputs, chip.crossbar_columns) * tiles(shape.inputs, chip.crossbar_rows));
    CHECK(info.cells >= shape.outputs * shape.inputs);
    CHECK_EQ(session.counters().crossbars_used, info.crossbars);
  }
  CHECK_EQ(session.counters().crossbars_used, 0u);
}

TEST(weight_programming_writes_every_cell) {
  const Session session;
  SKIP_IF(session.has(SIDRA_DEVICE_COMPUTES_NOTHING), "the device computes nothing");
  const Stream stream(session);
  const Problem problem({5, 7, 0});
  const Values<float> values(session, stream, problem.weight);
  const Weight weight(stream, program_args(values.address(), problem.shape));
  stream.synchronize();
  CHECK_EQ(weight.info().cells_written, weight.info().cells);
  CHECK_EQ(weight.programmed().cells_written, weight.info().cells);
  CHECK(weight.programmed().cost.chip_seconds > 0 && weight.programmed().cost.joules > 0);
  CHECK_EQ(session.counters().cells_written, weight.info().cells);
}

sidra_weight_update_args update_args(sidra_weight* weight, uint64_t values, const Shape& shape) {
  auto args = sized<sidra_weight_update_args>();
  args.weight = weight;
  args.outputs = shape.outputs;
  args.values = values;
  args.output_stride = shape.inputs;
  args.input_stride = 1;
  return args;
}

TEST(weight_update_writes_what_changes) {
  const Session session;
  SKIP_IF(session.has(SIDRA_DEVICE_COMPUTES_NOTHING), "the device computes nothing");
  const Stream stream(session);
  Problem problem({6, 7, 0});
  const Values<float> values(session, stream, problem.weight);
  const Weight weight(stream, program_args(values.address(), problem.shape));
  auto same = update_args(weight, values.address(), problem.shape);
  CHECK_OK(driver().weight_update(stream, &same));
  CHECK_EQ(same.cells_written, uint64_t{0});
  CHECK_EQ(same.cost.chip_seconds, 0.0);

  // The greatest value of output 4 stays: its scale does, and one cell has another level.
  problem.weight[4 * 7] = 1;
  values.write(stream, problem.weight);
  auto scaled = update_args(weight, values.address(), problem.shape);
  CHECK_OK(driver().weight_update(stream, &scaled));
  problem.weight[4 * 7 + 3] = problem.weight[4 * 7 + 3] > 0 ? -0.5f : 0.5f;
  values.write(stream, problem.weight);
  auto one = update_args(weight, values.address(4 * 7), problem.shape);
  one.first_output = 4;
  one.outputs = 1;
  CHECK_OK(driver().weight_update(stream, &one));
  CHECK_EQ(one.cells_written, uint64_t{1});
  CHECK(one.cost.chip_seconds > 0 && one.cost.joules > 0);
  stream.synchronize();
  CHECK_EQ(weight.info().cells_written, weight.info().cells + scaled.cells_written + 1);
}

TEST(weight_update_outside_the_weight_is_refused) {
  const Session session;
  const Stream stream(session);
  const Problem problem({4, 4, 0});
  const Values<float> values(session, stream, problem.weight);
  const Weight weight(stream, program_args(values.address(), problem.shape));
  auto args = update_args(weight, values.address(), problem.shape);
  args.first_output = 1;
  CHECK_FAILS_IN(stream, SIDRA_STATUS_INVALID_ARGUMENT, driver().weight_update(stream, &args));
  args.first_output = UINT64_MAX;
  CHECK_FAILS_IN(stream, SIDRA_STATUS_INVALID_ARGUMENT, driver().weight_update(stream, &args));
  args.weight = nullptr;
  CHECK_FAILS_IN(stream, SIDRA_STATUS_INVALID_ARGUMENT, driver().weight_update(stream, &args));
}

TEST(weight_with_bad_arguments_is_refused) {
  const Session session;
  const Stream stream(session);
  const Values<float> values(session, stream, std::vector<float>(16));
  const auto refused = [&](sidra_weight_program_args args) {
    CHECK_FAILS_IN(stream, SIDRA_STATUS_INVALID_ARGUMENT, driver().weight_program(stream, &args));
    CHECK_EQ(session.counters().crossbars_used, 0u);
  };
  const sidra_weight_program_args good = program_args(values.address(), {4, 4, 0});
  auto args = good;
  args.outputs = 0;
  refused(args);
  args = good;
  args.inputs = 0;
  refused(args);
  args = good;
  args.type = static_cast<sidra_value_type>(77);
  refused(args);
  args = good;
  args.values = 64;
  CHECK_FAILS_IN(stream, SIDRA_STATUS_NOT_FOUND, driver().weight_program(stream, &args));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().weight_free(nullptr));
  auto info = sized<sidra_weight_info>();
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().weight_query(nullptr, &info));
}

TEST(weight_with_values_out_of_place_is_refused) {
  const Session session;
  SKIP_IF(session.has(SIDRA_DEVICE_COMPUTES_NOTHING), "the device does not read values");
  const Stream stream(session);
  const Values<float> values(session, stream, std::vector<float>(16));
  const auto refused = [&](sidra_weight_program_args args) {
    CHECK_FAILS_IN(stream, SIDRA_STATUS_INVALID_ARGUMENT, driver().weight_program(stream, &args));
    CHECK_EQ(session.counters().crossbars_used, 0u);
  };
  const sidra_weight_program_args good = program_args(values.address(), {4, 4, 0});
  auto args = good;
  args.output_stride = 5;
  refused(args);
  args = good;
  args.output_stride = UINT64_MAX / 2;
  refused(args);
  args = good;
  args.full_scales = values.address(13);
  refused(args);
  args = good;
  args.type = SIDRA_VALUE_I8;  // without scales
  refused(args);
}

TEST(weight_that_is_not_finite_is_refused) {
  const Session session;
  SKIP_IF(session.has(SIDRA_DEVICE_COMPUTES_NOTHING), "the device does not read values");
  SKIP_IF(session.has(SIDRA_DEVICE_EXACT), "an exact device holds any float");
  const Stream stream(session);
  Problem problem({3, 5, 0});
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    problem.weight[2 * 5 + 4] = bad;
    const Values<float> values(session, stream, problem.weight);
    auto args = program_args(values.address(), problem.shape);
    const std::string text = CHECK_FAILS_IN(stream, SIDRA_STATUS_INVALID_ARGUMENT,
                                            driver().weight_program(stream, &args));
    CHECK(text.find("output 2") != std::string::npos && text.find("input 4") != std::string::npos);
    if (args.weight != nullptr) CHECK_OK(driver().weight_free(args.weight));
  }
}

TEST(weight_beyond_the_free_crossbars_is_refused) {
  const Session session;
  const sidra_device_properties chip = session.properties();
  SKIP_IF(chip.crossbars > 100000, "filling so many crossbars takes long");
  const Stream stream(session);
  const Values<float> values(session, stream, {1.0f});
  // One word line of each crossbar, the same value everywhere.
  auto most = program_args(values.address(), {chip.crossbar_columns * chip.crossbars, 1, 0});
  most.output_stride = 0;
  auto one = program_args(values.address(), {1, 1, 0});
  {
    const Weight all(stream, most);
    CHECK_EQ(session.counters().crossbars_used, chip.crossbars);
    const std::string text = CHECK_FAILS_IN(stream, SIDRA_STATUS_OUT_OF_CROSSBARS,
                                            driver().weight_program(stream, &one));
    CHECK(text.find(std::to_string(chip.crossbars)) != std::string::npos);
  }
  CHECK_EQ(session.counters().crossbars_used, 0u);
  const Weight again(stream, one);
  stream.synchronize();
}

TEST(weight_larger_than_the_chip_is_refused) {
  const Session session;
  const sidra_device_properties chip = session.properties();
  const Stream stream(session);
  const Values<float> values(session, stream, {1.0f});
  auto args =
      program_args(values.address(), {uint64_t{chip.crossbar_columns} * chip.crossbars + 1, 1, 0});
  args.output_stride = 0;  // one value for all
  CHECK_FAILS_IN(stream, SIDRA_STATUS_OUT_OF_CROSSBARS, driver().weight_program(stream, &args));
  args.outputs = UINT64_MAX;
  CHECK_FAILS_IN(stream, SIDRA_STATUS_OUT_OF_CROSSBARS, driver().weight_program(stream, &args));
}

TEST(weight_of_another_device_is_refused) {
  const Session session(2);
  const Stream here(session, 0), there(session, 1);
  const Problem problem({4, 4, 1});
  const Values<float> values(session, here, problem.weight, 0);
  const Values<float> other(session, there, problem.weight, 1);
  const Weight weight(here, program_args(values.address(), problem.shape));
  here.synchronize();
  auto mvm = mvm_args(weight, problem.shape, other.address(), other.address(8));
  CHECK_FAILS_IN(there, SIDRA_STATUS_INVALID_ARGUMENT, driver().mvm(there, &mvm));
  auto update = update_args(weight, other.address(), problem.shape);
  CHECK_FAILS_IN(there, SIDRA_STATUS_INVALID_ARGUMENT, driver().weight_update(there, &update));
  CHECK_EQ(session.counters(1).crossbars_used, 0u);
}

}  // namespace
}  // namespace sidra::conformance
