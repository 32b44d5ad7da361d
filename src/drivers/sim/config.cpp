#include "drivers/sim/config.h"

#include "drivers/abi/error.h"
#include "drivers/sim/number.h"

namespace sidra::sim {
namespace {

constexpr uint64_t kMostDevices = 64;

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// Which of two words `value` is: true for the second.
bool second_of(std::string_view key, std::string_view value, std::string_view first,
               std::string_view second) {
  if (value != first && value != second) {
    fail(SIDRA_STATUS_INVALID_ARGUMENT, "config: ", key, "=", value, ": must be ", first, " or ",
         second);
  }
  return value == second;
}

uint64_t integer(std::string_view key, std::string_view value, uint64_t low, uint64_t high) {
  const auto number = parse_number<uint64_t>(value);
  if (!number || *number < low || *number > high) {
    fail(SIDRA_STATUS_INVALID_ARGUMENT, "config: ", key, "=", value, ": must be an integer of ",
         low, " to ", high);
  }
  return *number;
}

void set_option(Config& config, std::string_view key, std::string_view value) {
  if (key == "preset") {
    config.spec = preset(value);
  } else if (key == "devices") {
    config.devices = integer(key, value, 1, kMostDevices);
  } else if (key == "memory") {
    config.strict_memory = second_of(key, value, "coherent", "strict");
  } else if (key == "queue") {
    config.threaded_queue = second_of(key, value, "inline", "thread");
  } else if (key == "seed") {
    config.seed = integer(key, value, 0, UINT64_MAX);
  } else if (!set_field(config.spec, key, value)) {
    fail(SIDRA_STATUS_INVALID_ARGUMENT, "config: unknown key '", key,
         "': keys are preset, devices, memory, queue, seed and the fields of a chip");
  }
}

}  // namespace

void for_each_line(std::string_view text,
                   const std::function<void(std::string_view, std::string_view)>& take) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = trimmed(text.substr(begin, end - begin));
    begin = end + 1;
    if (line.empty()) continue;
    const size_t equals = line.find('=');
    const std::string_view key = trimmed(line.substr(0, equals));
    if (equals == std::string_view::npos || key.empty()) {
      fail(SIDRA_STATUS_INVALID_ARGUMENT, "config: line '", line, "' is not key=value");
    }
    const std::string_view value = trimmed(line.substr(equals + 1));
    if (value.empty()) fail(SIDRA_STATUS_INVALID_ARGUMENT, "config: ", key, " has no value");
    take(key, value);
  }
}

Config parse_config(std::string_view text) {
  Config config;
  config.spec = preset("y1");
  for_each_line(
      text, [&](std::string_view key, std::string_view value) { set_option(config, key, value); });
  check_spec(config.spec);
  return config;
}

}  // namespace sidra::sim
