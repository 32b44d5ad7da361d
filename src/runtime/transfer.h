// Copies between host and device memory, and inside it, on the current stream; each counted.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>

namespace sidra::runtime {

// Returns when the host buffer may be reused, unless `non_blocking`: then it must stay until the
// stream has passed the copy.
void copy_to_device(c10::DeviceIndex device, uint64_t destination, const void* source,
                    uint64_t bytes, bool non_blocking = false);
void copy_to_host(c10::DeviceIndex device, void* destination, uint64_t source, uint64_t bytes,
                  bool non_blocking = false);
// The addresses may lie on different devices; `device` gives the stream. No overlap.
void copy_on_device(c10::DeviceIndex device, uint64_t destination, uint64_t source, uint64_t bytes);

}  // namespace sidra::runtime
