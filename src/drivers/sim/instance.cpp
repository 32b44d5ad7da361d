#include "drivers/sim/instance.h"

#include <stdexcept>
#include <utility>

#include "drivers/abi/error.h"
#include "kernels/isa.h"

namespace sidra::sim {

namespace {

// The microkernels are chosen once, by SIDRA_ISA when it is set: a bad choice is refused here.
Config with_isa_checked(Config config) {
  try {
    kernels::selected_isa();
  } catch (const std::runtime_error& error) {
    fail(SIDRA_STATUS_INVALID_ARGUMENT, error.what());
  }
  return config;
}

}  // namespace

Instance::Instance(Config configuration, const sidra_host_services* services)
    : config(with_isa_checked(std::move(configuration))),
      host(services),
      memory(config.devices, config.spec.memory_bytes, config.strict_memory) {
  for (uint64_t i = 0; i < config.devices; ++i) {
    devices_.push_back(std::make_unique<Device>(static_cast<int32_t>(i), config, memory, host));
  }
}

Device& Instance::device(const char* function, int32_t index) {
  if (index < 0 || index >= device_count()) {
    fail(SIDRA_STATUS_NOT_FOUND, function, ": no device ", index, ", there are ", device_count());
  }
  return *devices_[static_cast<size_t>(index)];
}

}  // namespace sidra::sim
