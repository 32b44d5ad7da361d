// What a chip is, read from `key=value` lines. Units are SI and stand in the names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace sidra::sim {

struct ChipSpec {
#define SIDRA_SPEC_WORD(name, words) std::string name;
#define SIDRA_SPEC_FLAG(name) bool name = false;
#define SIDRA_SPEC_INTEGER(name, low, high, unit) uint64_t name = 0;
#define SIDRA_SPEC_NUMBER(name, low, high, unit) double name = 0;
#include "drivers/sim/spec_fields.inc"

  uint64_t compute_units() const { return clusters * compute_units_per_cluster; }
  uint64_t crossbars() const { return compute_units() * crossbars_per_compute_unit; }
  int32_t input_limit() const { return (1 << dac_bits) - 1; }  // greatest input code
  // With an ADC, the greatest sum of squares of a vector's input codes, less zero: full scale on
  // one row in every input_norm_rows.
  double most_input_squares(uint64_t inputs) const {
    const double rows = static_cast<double>(input_norm_rows);
    return input_limit() * input_limit() * (std::max(static_cast<double>(inputs), rows) / rows);
  }
  int32_t weight_limit() const { return static_cast<int32_t>(weight_levels / 2) - 1; }
  int32_t adc_limit() const { return adc_bits == 0 ? 0 : (1 << (adc_bits - 1)) - 1; }
  double mvm_seconds() const { return mvm_settle_seconds + mvm_convert_seconds; }
  bool converters_shared() const { return converters_per == "compute_unit"; }
};

// Sets one field from its text; false when there is no field of that name. Throws Error
// (INVALID_ARGUMENT) with field, value, legal range and unit.
bool set_field(ChipSpec& spec, std::string_view key, std::string_view value);

// What no single field shows: products that overflow, choices that are not there. Throws Error.
void check_spec(const ChipSpec& spec);

// A chip that the driver has built in, complete. Throws Error with the names there are.
ChipSpec preset(std::string_view name);

}  // namespace sidra::sim
