// Products: values within the bound of matrix.h, in every form that mvm takes.
#include <limits>

#include "drivers/conformance/matrix.h"

namespace sidra::conformance {
namespace {

// A session for products; leaves the test when the driver computes none.
struct Bench {
  Bench() : stream(session) {
    SKIP_IF(session.has(SIDRA_DEVICE_COMPUTES_NOTHING), "the device computes nothing");
  }
  // The chip's tiles: for shapes just below, at and above one crossbar.
  uint64_t rows() const { return session.properties().crossbar_rows; }
  uint64_t columns() const { return session.properties().crossbar_columns; }

  Session session;
  Stream stream;
};

// The problem with its weight in crossbars and its other operands in device memory.
struct Run {
  Run(const Bench& on, const Problem& of)
      : bench(on),
        problem(of),
        bound(of, on.session.properties()),
        values(on.session, on.stream, of.weight),
        ranges(on.session, on.stream, bound.full_scales()),
        input(on.session, on.stream, of.input),
        bias(on.session, on.stream, of.bias),
        output(on.session, on.stream, std::vector<float>(of.shape.vectors * of.shape.outputs)),
        weight(on.stream, args()) {
    SKIP_IF(!bound.tells(), "the converters are too coarse for the bound to say anything");
  }

  sidra_weight_program_args args() const {
    auto args = program_args(values.address(), problem.shape);
    args.full_scales = ranges.address();
    return args;
  }
  sidra_mvm_args mvm() const {
    return mvm_args(weight, problem.shape, input.address(), output.address());
  }
  std::vector<float> result(sidra_mvm_args args) const {
    CHECK_OK(driver().mvm(bench.stream, &args));
    return output.read(bench.stream);
  }

  const Bench& bench;
  const Problem& problem;
  const Bound bound;
  const Values<float> values, ranges, input, bias, output;
  const Weight weight;
};

TEST(product_is_within_the_bound) {
  const Bench bench;
  const uint64_t rows = bench.rows(), columns = bench.columns();
  for (const Shape shape : {Shape{1, 1, 1}, Shape{3, 5, 2}, Shape{columns, rows, 3},
                            Shape{columns + 1, rows + 1, 7}, Shape{columns, 2 * rows - 1, 33}}) {
    const Problem problem(shape);
    const Run run(bench, problem);
    run.bound.check(run.result(run.mvm()));
  }
}

TEST(product_with_bias_and_relu) {
  const Bench bench;
  const Problem problem({bench.columns() + 1, bench.rows(), 5});
  const Run run(bench, problem);
  auto args = run.mvm();
  args.bias = run.bias.address();
  run.bound.check(run.result(args), true);
  args.activation = SIDRA_ACTIVATION_RELU;
  const std::vector<float> got = run.result(args);
  run.bound.check(got, true, true);
  for (const float value : got) CHECK(value >= 0);
}

TEST(product_in_a_fixed_range) {
  const Bench bench;
  SKIP_IF(bench.session.has(SIDRA_DEVICE_EXACT), "an exact device has no input range");
  const Problem problem({4, bench.rows(), 6});
  const Run run(bench, problem);
  const double limit = std::ldexp(1.0, static_cast<int>(bench.session.properties().dac_bits)) - 1;
  auto args = run.mvm();
  args.input_scale = static_cast<float>(2 / limit);  // inputs lie in [-1, 1]
  args.input_zero = static_cast<int32_t>(std::lround(limit / 2));
  const std::vector<float> fixed = run.result(args);
  const std::vector<float> own = run.result(run.mvm());
  for (uint64_t i = 0; i < fixed.size(); ++i) {
    CHECK(std::fabs(fixed[i] - own[i]) <= 2.5 * run.bound.of(i / 4, i % 4));
  }
}

TEST(product_leaves_what_lies_between_its_outputs) {
  const Bench bench;
  const Problem problem({3, 4, 2});
  const Run run(bench, problem);
  const Values<float> wide(bench.session, bench.stream, std::vector<float>(10, -7));
  auto args = run.mvm();
  args.output = wide.address(1);
  args.output_stride = 5;
  CHECK_OK(driver().mvm(bench.stream, &args));
  const std::vector<float> got = wide.read(bench.stream);
  for (const size_t i : {0, 4, 5, 9}) CHECK_EQ(got[i], -7.0f);
  run.bound.check({got[1], got[2], got[3], got[6], got[7], got[8]});
}

TEST(product_reads_inputs_by_their_stride) {
  const Bench bench;
  Problem problem({3, 4, 2});
  std::vector<float> spread(20, 1e30f);
  for (uint64_t i = 0; i < 8; ++i) spread[2 + i / 4 * 9 + i % 4] = problem.input[i];
  const Values<float> input(bench.session, bench.stream, spread);
  const Run run(bench, problem);
  auto args = run.mvm();
  args.input = input.address(2);
  args.input_stride = 9;
  run.bound.check(run.result(args));
}

TEST(product_with_a_transposed_weight) {
  const Bench bench;
  const Problem problem({bench.columns() + 2, bench.rows() + 3, 2});
  const Shape& shape = problem.shape;
  std::vector<float> transposed(problem.weight.size());
  for (uint64_t n = 0; n < shape.outputs; ++n) {
    for (uint64_t k = 0; k < shape.inputs; ++k) {
      transposed[k * shape.outputs + n] = problem.weight[n * shape.inputs + k];
    }
  }
  const Run run(bench, problem);
  const Values<float> values(bench.session, bench.stream, transposed);
  auto program = run.args();
  program.values = values.address();
  program.output_stride = 1;
  program.input_stride = shape.outputs;
  SKIP_IF(2 * run.weight.info().crossbars > bench.session.properties().crossbars,
          "two weights of this shape do not fit");
  const Weight weight(bench.stream, program);
  auto args = run.mvm();
  args.weight = weight;
  run.bound.check(run.result(args));
}

TEST(product_of_levels_given_as_int8) {
  const Bench bench;
  Problem problem({3, 6, 4});
  const Shape& shape = problem.shape;
  std::vector<int8_t> levels(problem.weight.size());
  std::vector<float> scales = {0.5f, 0.01f, 2.0f};
  for (uint64_t i = 0; i < levels.size(); ++i) {
    const uint64_t k = i % shape.inputs;
    levels[i] = static_cast<int8_t>(k == 0 ? 127 : problem.weight[i] * 127);
    problem.weight[i] = static_cast<float>(levels[i]) * scales[i / shape.inputs];
  }
  const Values<int8_t> values(bench.session, bench.stream, levels);
  const Values<float> scale(bench.session, bench.stream, scales);
  const Run run(bench, problem);
  auto program = run.args();
  program.type = SIDRA_VALUE_I8;
  program.values = values.address();
  program.scales = scale.address();
  const Weight weight(bench.stream, program);
  auto args = run.mvm();
  args.weight = weight;
  run.bound.check(run.result(args));
}

TEST(product_follows_an_update) {
  const Bench bench;
  const Problem before({5, 8, 3}, 1), after({5, 8, 3}, 2);
  const Run run(bench, before), other(bench, after);
  auto update = sized<sidra_weight_update_args>();
  update.weight = run.weight;
  update.outputs = 5;
  update.values = other.values.address();
  update.output_stride = 8;
  update.input_stride = 1;
  update.full_scales = other.ranges.address();
  CHECK_OK(driver().weight_update(bench.stream, &update));
  auto args = run.mvm();
  args.input = other.input.address();
  other.bound.check(run.result(args));
}

TEST(product_outlives_the_values_it_was_programmed_from) {
  const Bench bench;
  const Problem problem({5, 8, 3});
  const Run run(bench, problem);
  bench.stream.synchronize();
  run.values.write(bench.stream, std::vector<float>(40));
  run.bound.check(run.result(run.mvm()));
}

TEST(product_by_the_chips_own_ranges_resembles_the_exact_one) {
  const Bench bench;
  const Problem problem({16, bench.rows(), 16});
  const Run run(bench, problem);
  auto program = run.args();
  program.full_scales = 0;
  SKIP_IF(2 * run.weight.info().crossbars > bench.session.properties().crossbars,
          "two weights of this shape do not fit");
  const Weight weight(bench.stream, program);
  auto args = run.mvm();
  args.weight = weight;
  const std::vector<float> got = run.result(args);
  double both = 0, ours = 0, exact = 0;
  for (uint64_t i = 0; i < got.size(); ++i) {
    const double want = problem.product(i / 16, i % 16);
    both += got[i] * want;
    ours += double{got[i]} * got[i];
    exact += want * want;
  }
  CHECK(both > 0.9 * std::sqrt(ours * exact));
}

TEST(product_of_no_vectors_is_fine) {
  const Session session;
  const Stream stream(session);
  const Values<float> values(session, stream, {1.0f});
  const Weight weight(stream, program_args(values.address(), {1, 1, 0}));
  auto args = mvm_args(weight, {1, 1, 0}, 0, 0);
  CHECK_OK(driver().mvm(stream, &args));
  CHECK_EQ(args.cost.chip_seconds, 0.0);
  stream.synchronize();
}

TEST(product_with_bad_arguments_is_refused) {
  const Session session;
  const Stream stream(session);
  const Problem problem({4, 4, 2});
  const Values<float> values(session, stream, std::vector<float>(16));
  const Weight weight(stream, program_args(values.address(), problem.shape));
  const sidra_mvm_args good = mvm_args(weight, problem.shape, values.address(), values.address(8));
  const auto refused = [&](sidra_mvm_args args, sidra_status status) {
    CHECK_FAILS_IN(stream, status, driver().mvm(stream, &args));
  };
  auto args = good;
  args.weight = nullptr;
  refused(args, SIDRA_STATUS_INVALID_ARGUMENT);
  args = good;
  args.activation = static_cast<sidra_activation>(77);
  refused(args, SIDRA_STATUS_INVALID_ARGUMENT);
  args = good;
  args.input = 64;
  refused(args, SIDRA_STATUS_NOT_FOUND);
  args = good;
  args.output = 0;
  refused(args, SIDRA_STATUS_NOT_FOUND);
}

TEST(product_with_operands_out_of_place_is_refused) {
  const Bench bench;
  const Problem problem({4, 4, 2});
  const Run run(bench, problem);
  const auto refused = [&](sidra_mvm_args args) {
    CHECK_FAILS_IN(bench.stream, SIDRA_STATUS_INVALID_ARGUMENT, driver().mvm(bench.stream, &args));
  };
  auto args = run.mvm();
  args.vectors = 3;
  refused(args);
  args = run.mvm();
  args.input_stride = UINT64_MAX / 2;
  refused(args);
  args = run.mvm();
  args.output_stride = 3;
  refused(args);
  args = run.mvm();
  args.bias = run.bias.address(1);
  refused(args);
}

TEST(product_in_a_bad_range_is_refused) {
  const Bench bench;
  SKIP_IF(bench.session.has(SIDRA_DEVICE_EXACT), "an exact device has no input range");
  const Problem problem({4, 4, 2});
  const Run run(bench, problem);
  for (const float scale : {-1.0f, 1e-40f, std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()}) {
    auto args = run.mvm();
    args.input_scale = scale;
    CHECK_FAILS_IN(bench.stream, SIDRA_STATUS_INVALID_ARGUMENT, driver().mvm(bench.stream, &args));
  }
  for (const int32_t zero : {-1, 256, INT32_MAX}) {
    auto args = run.mvm();
    args.input_scale = 1;
    args.input_zero = zero;
    CHECK_FAILS_IN(bench.stream, SIDRA_STATUS_INVALID_ARGUMENT, driver().mvm(bench.stream, &args));
  }
}

}  // namespace
}  // namespace sidra::conformance
