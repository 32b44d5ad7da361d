// Products against the oracle, bit for bit.
#include "drivers/sim/compute_unit.h"

#include <cstring>
#include <sstream>

#include "drivers/sim/oracle.h"
#include "drivers/sim/test_chip.h"

namespace sidra::sim {
namespace {

struct Case {
  uint64_t vectors, inputs, outputs;
  bool bias = true, relu = false;
  float input_scale = 0;
  int32_t input_zero = 0;

  std::string text() const {
    std::ostringstream text;
    text << "M=" << vectors << " K=" << inputs << " N=" << outputs << " bias=" << bias
         << " relu=" << relu << " input_scale=" << input_scale;
    return text.str();
  }
};

std::vector<float> expected(const ChipSpec& spec, const Case& c, const std::vector<float>& x,
                            const std::vector<float>& w, const std::vector<float>& bias) {
  const OracleWeight weight = oracle_weight(spec, w, c.outputs);
  const int limit = spec.input_limit();
  std::vector<float> y;
  for (uint64_t m = 0; m < c.vectors; ++m) {
    const auto begin = x.begin() + static_cast<int64_t>(m * c.inputs);
    const std::vector<float> vector(begin, begin + static_cast<int64_t>(c.inputs));
    const OracleInput input = c.input_scale == 0
                                  ? oracle_input(vector, spec)
                                  : oracle_input(vector, limit, c.input_scale, c.input_zero);
    for (uint64_t n = 0; n < c.outputs; ++n) {
      const float value = oracle_output(spec, weight, input, n, c.bias ? bias.data() : nullptr);
      y.push_back(c.relu && value < 0 ? 0 : value);
    }
  }
  return y;
}

std::vector<float> computed(TestChip& chip, const Case& c, const std::vector<float>& x,
                            const std::vector<float>& w, const std::vector<float>& bias) {
  Weight& weight = chip.program_values(w, c.outputs);
  sidra_mvm_args args{};
  args.weight = handle(&weight);
  args.vectors = c.vectors;
  args.input = chip.store(x);
  args.input_stride = c.inputs;
  args.output = chip.store(std::vector<float>(c.vectors * c.outputs, -1));
  args.output_stride = c.outputs;
  args.bias = c.bias ? chip.store(bias) : 0;
  args.activation = c.relu ? SIDRA_ACTIVATION_RELU : SIDRA_ACTIVATION_NONE;
  args.input_scale = c.input_scale;
  args.input_zero = c.input_zero;
  mvm(chip.stream, args);
  chip.stream.synchronize();
  const auto y = chip.load<float>(args.output, c.vectors * c.outputs);
  chip.device.destroy_weight(&weight);
  return y;
}

void check(TestChip& chip, const Case& c) {
  const std::vector<float> x = random_values(c.vectors * c.inputs, 1, 3);
  const std::vector<float> w = random_values(c.outputs * c.inputs, 2, 0.1f);
  const std::vector<float> bias = random_values(c.outputs, 3);
  const std::vector<float> want = expected(chip.spec(), c, x, w, bias);
  const std::vector<float> got = computed(chip, c, x, w, bias);
  for (uint64_t i = 0; i < want.size(); ++i) {
    if (std::memcmp(&want[i], &got[i], sizeof(float)) == 0) continue;
    std::ostringstream text;
    text << c.text() << ": y[" << i / c.outputs << "][" << i % c.outputs << "] is " << got[i]
         << ", not " << want[i];
    testing::fail(__FILE__, __LINE__, text.str());
  }
}

void check_every_size(const std::string& config, const std::vector<uint64_t>& sizes) {
  TestChip chip(config, two_thread_services());
  for (const uint64_t inputs : sizes) {
    for (const uint64_t outputs : sizes) check(chip, {3, inputs, outputs});
  }
}

const std::vector<uint64_t> kSizes = {1, 255, 256, 257, 1000};

TEST(compute_unit_y1_of_every_size) { check_every_size("preset=y1", kSizes); }
TEST(compute_unit_without_adc_of_every_size) { check_every_size("adc_bits=0", kSizes); }
TEST(compute_unit_tiny_of_every_size) {
  check_every_size("preset=tiny", {1, 2, 3, 4, 5, 7, 8, 9, 16});
}
TEST(compute_unit_with_coarse_converters) {
  check_every_size("adc_bits=4\ndac_bits=5", {1, 257, 300});
}
TEST(compute_unit_with_a_wide_adc) { check_every_size("adc_bits=16", {1, 257, 300}); }
TEST(compute_unit_with_odd_crossbars) {
  check_every_size("crossbar_rows=12\ncrossbar_columns=7", {1, 7, 12, 13, 100});
}

TEST(compute_unit_with_every_epilogue) {
  TestChip chip("preset=y1");
  for (const bool bias : {false, true}) {
    for (const bool relu : {false, true}) check(chip, {5, 300, 70, bias, relu});
  }
}

TEST(compute_unit_in_a_fixed_range) {
  for (const char* config : {"preset=y1", "adc_bits=0"}) {
    TestChip chip(config, two_thread_services());
    for (const int32_t zero : {0, 100, 255}) {
      check(chip, {3, 257, 65, true, false, 0.031f, zero});
      check(chip, {2, 1, 1, false, false, 1e-20f, zero});  // everything clips
    }
  }
}

// Divided over threads by column blocks, by vectors, and both; more than one pass of codes.
TEST(compute_unit_divided_over_threads) {
  TestChip chip("preset=y1", two_thread_services());
  for (const Case& c : {Case{1, 4000, 1500}, Case{2000, 300, 10}, Case{999, 256, 129},
                        Case{150000, 4, 3}, Case{13, 5000, 65}}) {
    check(chip, c);
  }
}

TEST(compute_unit_of_zeros) {
  TestChip chip("preset=y1");
  const Case c{2, 5, 3};
  const std::vector<float> zeros(15), bias = {1, -2, 3};
  const std::vector<float> some = random_values(10, 1);
  CHECK(computed(chip, c, some, zeros, bias) == std::vector<float>({1, -2, 3, 1, -2, 3}));
  CHECK(computed(chip, c, std::vector<float>(10), random_values(15, 2), bias) ==
        std::vector<float>({1, -2, 3, 1, -2, 3}));
}

TEST(compute_unit_refuses_a_weight_that_was_not_programmed) {
  TestChip chip("preset=tiny");
  const Weight& weight = *chip.device.create_weight(1, 1, SIDRA_VALUE_F32);
  const std::string text = error_of(SIDRA_STATUS_PROGRAMMING_FAILED, [&] {
    multiply(weight, MvmCall{}, chip.spec(), chip.instance.host);
  });
  CHECK(has(text, "programming"));
}

}  // namespace
}  // namespace sidra::sim
