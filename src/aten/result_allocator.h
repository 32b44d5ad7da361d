// Results of CPU kernels that run in place on device memory must lie in device memory too. While a
// ResultScope is open, CPU allocations of this thread come from the device's allocator.
#pragma once

#include <c10/core/Device.h>

namespace sidra::aten {

// Puts itself in front of the process's CPU allocator. A thread without an open scope pays one
// thread-local read per allocation.
void install_result_allocator();

class ResultScope {
 public:
  explicit ResultScope(c10::DeviceIndex device);
  ~ResultScope();
  ResultScope(const ResultScope&) = delete;
  ResultScope& operator=(const ResultScope&) = delete;

 private:
  const c10::DeviceIndex previous_;
};

}  // namespace sidra::aten
