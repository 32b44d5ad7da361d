// Devices: how many, which is current on this thread, what they are.
#pragma once

#include <c10/core/Device.h>

#include "sidra/driver.h"

namespace sidra::runtime {

inline constexpr c10::DeviceType kDeviceType = c10::DeviceType::PrivateUse1;

// The greatest number of devices that a driver may offer.
inline constexpr c10::DeviceIndex kMaxDevices = 64;

c10::DeviceIndex device_count() noexcept;  // 0 when there is no driver
// `index`, or the current device for -1; raises when there is no such device (text as CUDA users
// know it, naming the count and SIDRA_DEVICES).
c10::DeviceIndex check_device(c10::DeviceIndex index);
[[noreturn]] void refuse_device(int64_t index);  // the error of check_device
c10::DeviceIndex current_device() noexcept;
void set_device(c10::DeviceIndex index);
c10::DeviceIndex exchange_device(c10::DeviceIndex index);  // checked
c10::DeviceIndex exchange_device_unchecked(c10::DeviceIndex index) noexcept;
const sidra_device_properties& device_properties(c10::DeviceIndex index);
void synchronize_device(c10::DeviceIndex index);  // -1: the current one

// Marks the process as using the device (first tensor, stream or generator), and registers the
// fork handler. Raises in a child forked after that, as CUDA does.
void initialize();
bool is_initialized() noexcept;
bool is_in_bad_fork() noexcept;

}  // namespace sidra::runtime
