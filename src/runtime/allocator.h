// Device memory for tensors: a caching allocator over the driver's memory, with CUDA's statistics.
#pragma once

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/StorageImpl.h>

#include <atomic>
#include <cstdint>

namespace sidra::runtime {

// One allocation, and the context of its DataPtr. What residency must know about the bytes hangs
// here, because every view, alias and `.data` of a storage shares its block.
struct Block {
  uint64_t address = 0;  // device address; also the DataPtr's pointer
  size_t size = 0;       // bytes of the block
  size_t requested = 0;  // bytes asked for
  c10::DeviceIndex device = 0;
  // Raised by each write that an operator or a copy makes: unlike a tensor's version counter it
  // also sees writes through `.data` and in inference mode.
  std::atomic<uint64_t> writes{0};
  // The bytes are the result of an operator (an activation), not a parameter, buffer or input.
  std::atomic<bool> computed{false};
  // A crossbar weight was programmed from it: its release has to be told to residency.
  std::atomic<bool> resident{false};
};

// Allocates on `device` for the current stream. Raises kMemory (torch.OutOfMemoryError) after
// releasing cached memory did not help; the text gives asked, free, total and allocated bytes.
// Zero bytes give a block without memory.
Block* allocate_block(c10::DeviceIndex device, size_t bytes);
void release_block(Block* block) noexcept;

// A DataPtr that owns `block`. `device` is normally the block's; the in-place path labels it CPU.
c10::DataPtr block_data_ptr(Block* block, c10::Device device);

// The block behind a storage of any device label; null when the memory is not ours.
Block* block_of(const c10::StorageImpl& storage) noexcept;
Block* block_of(const c10::DataPtr& data) noexcept;

// The allocator registered for the device (stats, empty_cache, recordStream, getMemoryInfo).
c10::DeviceAllocator* device_allocator();

// Called with the block when a resident one is released, before its memory can be reused.
using ReleaseObserver = void (*)(Block* block) noexcept;
void set_release_observer(ReleaseObserver observer);

}  // namespace sidra::runtime
