#include "drivers/conformance/matrix.h"

#include <algorithm>
#include <sstream>

namespace sidra::conformance {
namespace {

constexpr double kLevelLimit = 127;

double limit_of_bits(uint32_t bits) { return std::ldexp(1.0, static_cast<int>(bits)) - 1; }

}  // namespace

Weight::Weight(sidra_stream* stream, sidra_weight_program_args args) : args_(args) {
  CHECK_OK(driver().weight_program(stream, &args_));
  CHECK(args_.weight != nullptr);
}
Weight::~Weight() { driver().weight_free(args_.weight); }

sidra_weight_info Weight::info() const {
  auto info = sized<sidra_weight_info>();
  CHECK_OK(driver().weight_query(args_.weight, &info));
  return info;
}

sidra_weight_program_args program_args(uint64_t values, const Shape& shape) {
  auto args = sized<sidra_weight_program_args>();
  args.outputs = shape.outputs;
  args.inputs = shape.inputs;
  args.values = values;
  args.output_stride = shape.inputs;
  args.input_stride = 1;
  args.type = SIDRA_VALUE_F32;
  return args;
}

sidra_mvm_args mvm_args(const sidra_weight* weight, const Shape& shape, uint64_t input,
                        uint64_t output) {
  auto args = sized<sidra_mvm_args>();
  args.weight = weight;
  args.vectors = shape.vectors;
  args.input = input;
  args.input_stride = shape.inputs;
  args.output = output;
  args.output_stride = shape.outputs;
  return args;
}

Bound::Bound(const Problem& problem, const sidra_device_properties& properties)
    : problem_(problem),
      exact_((properties.flags & SIDRA_DEVICE_EXACT) != 0),
      code_limit_(limit_of_bits(properties.dac_bits)),
      adc_limit_(properties.adc_bits == 0 ? 0 : limit_of_bits(properties.adc_bits - 1)),
      tile_rows_(properties.crossbar_rows) {
  find_steps();
  find_full_scales();
}

void Bound::find_steps() {
  const Shape& shape = problem_.shape;
  for (uint64_t m = 0; m < shape.vectors; ++m) {
    double low = 0, high = 0;
    for (uint64_t k = 0; k < shape.inputs; ++k) {
      low = std::min(low, double{problem_.input[m * shape.inputs + k]});
      high = std::max(high, double{problem_.input[m * shape.inputs + k]});
    }
    code_steps_.push_back(exact_ ? 1 : (high - low) / code_limit_);
  }
  for (uint64_t n = 0; n < shape.outputs; ++n) {
    double most = 0;
    for (uint64_t k = 0; k < shape.inputs; ++k) {
      most = std::max(most, std::fabs(double{problem_.weight[n * shape.inputs + k]}));
    }
    level_steps_.push_back(most == 0 ? 1 : most / kLevelLimit);
  }
}

void Bound::find_full_scales() {
  const Shape& shape = problem_.shape;
  for (uint64_t n = 0; n < shape.outputs; ++n) {
    double most = 1;  // of code x level, with one step more on each factor
    for (uint64_t m = 0; m < shape.vectors; ++m) {
      double sum = 0, slack = 0;
      for (uint64_t k = 0; k < shape.inputs; ++k) {
        if (k % tile_rows_ == 0) sum = slack = 0;
        const double code = problem_.input[m * shape.inputs + k] / code_steps_[m];
        const double level = problem_.weight[n * shape.inputs + k] / level_steps_[n];
        sum += code * level;
        slack += std::fabs(code) + std::fabs(level) + 1;
        most = std::max(most, std::fabs(sum) + slack);
      }
    }
    full_scales_.push_back(static_cast<float>(most));
  }
}

double Bound::of(uint64_t m, uint64_t n) const {
  const uint64_t inputs = problem_.shape.inputs;
  const double s_x = code_steps_[m], s_w = level_steps_[n];
  double magnitude = 0, rounding = 0;
  for (uint64_t k = 0; k < inputs; ++k) {
    const double x = std::fabs(problem_.input[m * inputs + k]);
    const double w = std::fabs(problem_.weight[n * inputs + k]);
    magnitude += x * w;
    rounding += x * s_w + s_x * (w + s_w);
  }
  const double floats = 1e-6 * (magnitude + 1);  // float32 sums in any order
  if (exact_) return floats;
  const auto tiles = static_cast<double>((inputs + tile_rows_ - 1) / tile_rows_);
  const double delta = adc_limit_ == 0 ? 0 : full_scales_[n] / adc_limit_;
  return rounding + tiles * delta * s_w * s_x + floats;
}

void Bound::check(const std::vector<float>& got, bool bias, bool relu) const {
  const Shape& shape = problem_.shape;
  for (uint64_t m = 0; m < shape.vectors; ++m) {
    for (uint64_t n = 0; n < shape.outputs; ++n) {
      double want = problem_.product(m, n) + (bias ? problem_.bias[n] : 0);
      if (relu) want = std::max(want, 0.0);
      const float value = got[m * shape.outputs + n];
      if (std::fabs(value - want) <= of(m, n)) continue;
      std::ostringstream text;
      text << "output " << n << " of vector " << m << " is " << value << ", exactly " << want
           << ", allowed +-" << of(m, n);
      testing::fail(__FILE__, __LINE__, text.str());
    }
  }
}

bool Bound::tells() const {
  double bound = 0, product = 0;
  for (uint64_t m = 0; m < problem_.shape.vectors; ++m) {
    for (uint64_t n = 0; n < problem_.shape.outputs; ++n) {
      bound += of(m, n);
      product += std::fabs(problem_.product(m, n));
    }
  }
  return bound < product;
}

}  // namespace sidra::conformance
