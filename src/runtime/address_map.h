// Which device an address belongs to.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>

namespace sidra::runtime {

// Of whole segments; rare, so a lock and a tree do.
void add_address_range(uint64_t address, uint64_t bytes, c10::DeviceIndex device);
void remove_address_range(uint64_t address);
// The device of any address inside a segment; none when the memory is not ours.
std::optional<c10::DeviceIndex> device_of_address(uint64_t address);

}  // namespace sidra::runtime
