// An opened driver: its configuration, its memory and its devices.
#pragma once

#include <memory>
#include <vector>

#include "drivers/sim/config.h"
#include "drivers/sim/device.h"
#include "drivers/sim/host.h"
#include "drivers/sim/memory.h"

namespace sidra::sim {

class Instance {
 public:
  Instance(Config configuration, const sidra_host_services* services);

  // Throws Error (NOT_FOUND) with the number of devices. `function` names the caller.
  Device& device(const char* function, int32_t index);
  int32_t device_count() const { return static_cast<int32_t>(devices_.size()); }

  const Config config;
  const Host host;
  Memory memory;

 private:
  std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace sidra::sim
