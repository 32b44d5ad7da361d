#include "drivers/sim/spec.h"

#include <array>
#include <limits>

#include "drivers/abi/error.h"
#include "drivers/sim/config.h"
#include "drivers/sim/number.h"

namespace sidra::sim {
namespace {

struct Preset {
  std::string_view name;
  std::string_view config;
};

// Written by python -m sidra.chip.export, so that the presets stand in one place.
constexpr Preset kPresets[] = {
#include "presets.inc"
};

template <typename... Parts>
[[noreturn]] void refuse(std::string_view field, std::string_view value, const Parts&... legal) {
  fail(SIDRA_STATUS_INVALID_ARGUMENT, "config: ", field, "=", value, ": must be ", legal...);
}

bool is_one_of(std::string_view word, std::string_view words) {
  for (size_t begin = 0; begin <= words.size();) {
    const size_t end = std::min(words.find('|', begin), words.size());
    if (words.substr(begin, end - begin) == word) return true;
    begin = end + 1;
  }
  return false;
}

bool is_name(std::string_view text) {
  const auto legal = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  };
  for (const char c : text) {
    if (!legal(c)) return false;
  }
  return !text.empty() && text.size() <= 63;  // with its end, the 64 bytes of the properties
}

void set_word(std::string& field, std::string_view key, std::string_view value,
              std::string_view words) {
  if (words.empty()) {
    if (!is_name(value)) refuse(key, value, "1 to 63 letters, digits, '_', '.' or '-'");
  } else if (!is_one_of(value, words)) {
    refuse(key, value, "one of ", words);
  }
  field = value;
}

void set_flag(bool& field, std::string_view key, std::string_view value) {
  if (value != "0" && value != "1") refuse(key, value, "0 or 1");
  field = value == "1";
}

template <typename Number>
void set_number(Number& field, std::string_view key, std::string_view value, Number low,
                Number high, std::string_view unit) {
  const auto number = parse_number<Number>(value);
  const char* noun = std::is_integral_v<Number> ? "an integer of " : "a number of ";
  if (!number || !(*number >= low && *number <= high)) {
    refuse(key, value, noun, low, " to ", high, " ", unit);
  }
  field = *number;
}

}  // namespace

bool set_field(ChipSpec& spec, std::string_view key, std::string_view value) {
#define SIDRA_SPEC_WORD(name, words) \
  if (key == #name) return set_word(spec.name, key, value, words), true;
#define SIDRA_SPEC_FLAG(name) \
  if (key == #name) return set_flag(spec.name, key, value), true;
#define SIDRA_SPEC_INTEGER(name, low, high, unit) \
  if (key == #name) return set_number<uint64_t>(spec.name, key, value, low, high, unit), true;
#define SIDRA_SPEC_NUMBER(name, low, high, unit) \
  if (key == #name) return set_number<double>(spec.name, key, value, low, high, unit), true;
#include "drivers/sim/spec_fields.inc"
  return false;
}

void check_spec(const ChipSpec& spec) {
  if (spec.crossbar_rows % 4 != 0) {
    refuse("crossbar_rows", std::to_string(spec.crossbar_rows),
           "an integer of 4 to 4096 word lines, a multiple of 4");
  }
  if (spec.adc_bits == 1) refuse("adc_bits", "1", "0 or an integer of 2 to 16 bits");
  if (spec.weight_levels != 256) {
    fail(SIDRA_STATUS_UNSUPPORTED, "config: weight_levels=", spec.weight_levels,
         ": this driver has cells of 256 levels only");
  }
  if (spec.weight_encoding != "offset") {
    fail(SIDRA_STATUS_UNSUPPORTED, "config: weight_encoding=", spec.weight_encoding,
         ": this driver has the encoding 'offset' only so far");
  }
  if (spec.ispp_mean_iterations > static_cast<double>(spec.ispp_max_iterations)) {
    refuse("ispp_mean_iterations", std::to_string(spec.ispp_mean_iterations),
           "at most ispp_max_iterations, which is ", spec.ispp_max_iterations);
  }
  constexpr uint64_t kMostCrossbars = 1u << 28;
  const uint64_t units = spec.compute_units();  // at most 1e12
  if (units > kMostCrossbars || spec.crossbars() > kMostCrossbars) {
    fail(SIDRA_STATUS_INVALID_ARGUMENT,
         "config: clusters x compute_units_per_cluster x crossbars_per_compute_unit = ",
         spec.clusters, " x ", spec.compute_units_per_cluster, " x ",
         spec.crossbars_per_compute_unit, ": must be at most ", kMostCrossbars, " crossbars");
  }
}

ChipSpec preset(std::string_view name) {
  std::string names;
  for (const Preset& candidate : kPresets) {
    if (candidate.name != name) {
      names.append(names.empty() ? "" : ", ").append(candidate.name);
      continue;
    }
    ChipSpec spec;
    for_each_line(candidate.config, [&](std::string_view key, std::string_view value) {
      set_field(spec, key, value);
    });
    return spec;
  }
  fail(SIDRA_STATUS_INVALID_ARGUMENT, "config: preset=", name, ": must be one of ", names);
}

}  // namespace sidra::sim
