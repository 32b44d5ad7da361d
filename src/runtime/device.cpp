#include "runtime/device.h"

#include <string>

#include "runtime/driver_loader.h"
#include "runtime/error.h"
#include "runtime/loaded_driver.h"

namespace sidra::runtime {
namespace {

constinit thread_local c10::DeviceIndex current = 0;

}  // namespace

c10::DeviceIndex device_count() noexcept {
  const Driver* open = open_driver();
  if (__builtin_expect(!open, 0)) open = driver_available() ? open_driver() : nullptr;
  return open ? static_cast<c10::DeviceIndex>(open->device_count) : c10::DeviceIndex{0};
}

void refuse_device(int64_t index) {
  const int32_t count = driver().device_count;  // raises the driver's own error when there is none
  const std::string devices =
      count == 1
          ? "1 device, sidra:0"
          : std::to_string(count) + " devices, sidra:0 to sidra:" + std::to_string(count - 1);
  raise(ErrorKind::kRuntime, "sidra error: invalid device ordinal " + std::to_string(index) +
                                 ": this process has " + devices +
                                 "; SIDRA_DEVICES sets how many are offered");
}

c10::DeviceIndex check_device(c10::DeviceIndex index) {
  if (index == -1) index = current;
  if (index < 0 || index >= device_count()) refuse_device(index);
  return index;
}

c10::DeviceIndex current_device() noexcept { return current; }

void set_device(c10::DeviceIndex index) { current = check_device(index); }

c10::DeviceIndex exchange_device(c10::DeviceIndex index) {
  const c10::DeviceIndex previous = current;
  set_device(index);
  return previous;
}

c10::DeviceIndex exchange_device_unchecked(c10::DeviceIndex index) noexcept {
  const c10::DeviceIndex previous = current;
  if (index >= 0 && index < kMaxDevices) current = index;
  return previous;
}

const sidra_device_properties& device_properties(c10::DeviceIndex index) {
  return driver().properties[check_device(index)];
}

void synchronize_device(c10::DeviceIndex index) {
  index = check_device(index);
  if (is_in_bad_fork()) initialize();  // raises
  if (!is_initialized()) return;       // nothing was ever submitted
  const Driver& open = driver();
  SIDRA_CHECK(open.table->device_synchronize(open.instance, index),
              "sidra:" + std::to_string(index) + ": synchronize");
}

}  // namespace sidra::runtime
