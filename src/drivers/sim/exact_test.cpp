// Products of a chip without converters.
#include <cmath>
#include <limits>

#include "drivers/sim/compute_unit.h"
#include "drivers/sim/oracle.h"
#include "drivers/sim/test_chip.h"

namespace sidra::sim {
namespace {

struct Product {
  uint64_t vectors, inputs, outputs;
  std::vector<float> x, w, bias;
  bool relu = false;
};

Product random_product(uint64_t vectors, uint64_t inputs, uint64_t outputs) {
  return {vectors,
          inputs,
          outputs,
          random_values(vectors * inputs, 1),
          random_values(outputs * inputs, 2),
          random_values(outputs, 3)};
}

std::vector<float> run(TestChip& chip, const Product& p) {
  Weight& weight = chip.program_values(p.w, p.outputs);
  sidra_mvm_args args{};
  args.weight = handle(&weight);
  args.vectors = p.vectors;
  args.input = chip.store(p.x);
  args.input_stride = p.inputs;
  args.output = chip.store(std::vector<float>(p.vectors * p.outputs));
  args.output_stride = p.outputs;
  args.bias = p.bias.empty() ? 0 : chip.store(p.bias);
  args.activation = p.relu ? SIDRA_ACTIVATION_RELU : SIDRA_ACTIVATION_NONE;
  mvm(chip.stream, args);
  return chip.load<float>(args.output, p.vectors * p.outputs);
}

void check_close(const Product& p, const std::vector<float>& got) {
  for (uint64_t m = 0; m < p.vectors; ++m) {
    for (uint64_t n = 0; n < p.outputs; ++n) {
      double sum = p.bias.empty() ? 0 : p.bias[n], magnitude = std::fabs(sum);
      for (uint64_t k = 0; k < p.inputs; ++k) {
        const double term = double{p.x[m * p.inputs + k]} * p.w[n * p.inputs + k];
        sum += term;
        magnitude += std::fabs(term);
      }
      if (p.relu) sum = std::max(sum, 0.0);
      CHECK(std::fabs(got[m * p.outputs + n] - sum) <= 1e-6 * magnitude);
    }
  }
}

TEST(exact_product_is_float32) {
  TestChip chip("preset=ideal", two_thread_services());
  for (const uint64_t inputs : {1, 7, 8, 9, 300}) {
    for (const uint64_t outputs : {1, 3, 4, 5, 70}) {
      for (const uint64_t vectors : {1, 33, 100}) {
        const Product product = random_product(vectors, inputs, outputs);
        check_close(product, run(chip, product));
      }
    }
  }
}

TEST(exact_product_with_every_epilogue) {
  TestChip chip("preset=ideal", two_thread_services());
  for (const bool bias : {false, true}) {
    for (const bool relu : {false, true}) {
      Product product = random_product(20, 50, 30);
      if (!bias) product.bias.clear();
      product.relu = relu;
      check_close(product, run(chip, product));
    }
  }
}

void sevens(void*, const sidra_matmul_f32_args* args) {
  for (uint64_t m = 0; m < args->rows; ++m) {
    for (uint64_t n = 0; n < args->columns; ++n) args->output[m * args->output_stride + n] = 7;
  }
}

TEST(exact_product_is_the_hosts_when_it_lends_one) {
  const sidra_host_services services{sizeof(sidra_host_services), nullptr, nullptr, sevens};
  TestChip chip("preset=ideal", &services);
  Product product = random_product(2, 3, 2);
  product.bias = {0, 1};
  CHECK(run(chip, product) == std::vector<float>({7, 8, 7, 8}));
}

// No cell has to hold them, so they pass as in any float32 product.
TEST(exact_weight_may_be_infinite_or_nan) {
  TestChip chip("preset=ideal");
  Product product{1,
                  1,
                  2,
                  {1},
                  {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()},
                  {}};
  product.relu = true;
  const std::vector<float> got = run(chip, product);
  CHECK_EQ(got[0], std::numeric_limits<float>::infinity());
  CHECK(std::isnan(got[1]));
}

}  // namespace
}  // namespace sidra::sim
