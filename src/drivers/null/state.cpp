#include "drivers/null/state.h"

#include <utility>

#include "drivers/abi/error.h"

namespace sidra::null {
namespace {

sim::Config checked(sim::Config config) {
  if (config.threaded_queue) {
    fail(SIDRA_STATUS_UNSUPPORTED, "config: queue=thread: the null driver has nothing to queue");
  }
  return config;
}

}  // namespace

Instance::Instance(std::string_view text)
    : config(checked(sim::parse_config(text))),
      memory(config.devices, config.spec.memory_bytes, config.strict_memory) {
  for (uint64_t i = 0; i < config.devices; ++i) {
    devices.emplace_back(static_cast<int32_t>(i), config.spec, memory);
  }
}

Device& Instance::device(const char* function, int32_t index) {
  if (index < 0 || static_cast<size_t>(index) >= devices.size()) {
    fail(SIDRA_STATUS_NOT_FOUND, function, ": no device ", index, ", there are ", devices.size());
  }
  return devices[static_cast<size_t>(index)];
}

}  // namespace sidra::null
