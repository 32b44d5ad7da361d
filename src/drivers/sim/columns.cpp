#include "drivers/sim/columns.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "drivers/abi/error.h"
#include "drivers/sim/full_scale.h"
#include "drivers/sim/levels.h"

namespace sidra::sim {
namespace {

template <typename T>
const T* element(const WeightValues& values, uint64_t output) {
  return reinterpret_cast<const T*>(values.values) + (output - values.first) * values.output_stride;
}

// Outputs [first, first + count) to [count][inputs]. Eight inputs at a time, so that a transposed
// matrix is read by whole cache lines that stay in the first level.
template <typename T>
void gather(const WeightValues& from, uint64_t first, uint64_t count, uint64_t inputs, T* to) {
  const T* const begin = element<T>(from, first);
  if (from.input_stride == 1) {
    for (uint64_t i = 0; i < count; ++i) {
      std::copy_n(begin + i * from.output_stride, inputs, to + i * inputs);
    }
    return;
  }
  constexpr uint64_t kTogether = 8;
  for (uint64_t k = 0; k < inputs; k += kTogether) {
    const uint64_t end = std::min(inputs, k + kTogether);
    for (uint64_t i = 0; i < count; ++i) {
      for (uint64_t j = k; j < end; ++j) {
        to[i * inputs + j] = begin[i * from.output_stride + j * from.input_stride];
      }
    }
  }
}

void refuse_value(const float* row, uint64_t inputs, uint64_t output) {
  const uint64_t bad = first_not_finite(row, inputs);
  fail(SIDRA_STATUS_INVALID_ARGUMENT, "weight: value ", row[bad], " of output ", output, ", input ",
       bad, " is not finite: no cell can hold it");
}

void check_levels(const int8_t* levels, uint64_t inputs, uint64_t output) {
  const auto* const bad = static_cast<const int8_t*>(std::memchr(levels, 0x80, inputs));
  if (bad == nullptr) return;
  fail(SIDRA_STATUS_INVALID_ARGUMENT, "weight: level -128 of output ", output, ", input ",
       bad - levels, " is outside -127 to 127");
}

}  // namespace

Columns::Columns(const Weight& weight, const WeightValues& values, const ChipSpec& spec)
    : weight_(weight),
      values_(values),
      spec_(spec),
      quantise_(weight.type == SIDRA_VALUE_F32),
      levels_(kBlock * weight.inputs) {}

void Columns::read(uint64_t first, uint64_t count) {
  const uint64_t inputs = weight_.inputs;
  check(first, count);
  for (uint64_t i = 0; i < count; ++i) {
    int8_t* const levels = levels_.data() + i * inputs;
    if (quantise_) quantize_levels(row(i), inputs, scale_[i], spec_.weight_limit(), levels);
    if (spec_.adc_bits == 0) continue;
    full_scale_[i] = values_.full_scales == nullptr
                         ? sim::full_scale(spec_, levels, inputs)
                         : values_.full_scales[first + i - values_.first];
  }
}

void Columns::check(uint64_t first, uint64_t count) {
  gather_values(first, count);
  for (uint64_t i = 0; i < count; ++i) check_output(i, first + i);
  if (spec_.adc_bits != 0 && values_.full_scales != nullptr) check_ranges(first, count);
}

void Columns::read_exact(uint64_t first, uint64_t count, float* to) {
  const uint64_t inputs = weight_.inputs;
  if (quantise_) return gather(values_, first, count, inputs, to);
  gather(values_, first, count, inputs, levels_.data());
  for (uint64_t i = 0; i < count; ++i) {
    const float scale = values_.scales[first + i - values_.first];
    for (uint64_t k = 0; k < inputs; ++k) {
      to[i * inputs + k] = static_cast<float>(levels_[i * inputs + k]) * scale;
    }
  }
}

const float* Columns::row(uint64_t i) const {
  return direct_ != nullptr ? direct_ + i * values_.output_stride
                            : rows_.data() + i * weight_.inputs;
}

void Columns::gather_values(uint64_t first, uint64_t count) {
  if (!quantise_) return gather(values_, first, count, weight_.inputs, levels_.data());
  if (values_.input_stride == 1) {
    direct_ = element<float>(values_, first);
  } else {
    rows_.resize(kBlock * weight_.inputs);
    gather(values_, first, count, weight_.inputs, rows_.data());
  }
}

void Columns::check_output(uint64_t i, uint64_t output) {
  const uint64_t inputs = weight_.inputs;
  if (quantise_) {
    const float greatest = greatest_magnitude(row(i), inputs);
    if (!std::isfinite(greatest)) refuse_value(row(i), inputs, output);
    scale_[i] = weight_scale(greatest, spec_.weight_limit());
    return;
  }
  check_levels(levels_.data() + i * inputs, inputs, output);
  scale_[i] = values_.scales[output - values_.first];
  if (!std::isfinite(scale_[i])) {
    fail(SIDRA_STATUS_INVALID_ARGUMENT, "weight: scale ", scale_[i], " of output ", output,
         " is not finite");
  }
}

void Columns::check_ranges(uint64_t first, uint64_t count) const {
  const auto limit = static_cast<float>(spec_.adc_limit());
  for (uint64_t output = first; output < first + count; ++output) {
    const float range = values_.full_scales[output - values_.first];
    if (std::isnormal(range) && range > 0 && std::isfinite(limit / range)) continue;
    fail(SIDRA_STATUS_INVALID_ARGUMENT, "weight: full scale ", range, " of output ", output,
         " is not a positive range");
  }
}

}  // namespace sidra::sim
