#include "runtime/allocator.h"

#include <string>

#include "runtime/address_map.h"
#include "runtime/device.h"
#include "runtime/device_memory.h"
#include "runtime/driver_loader.h"
#include "runtime/error.h"
#include "runtime/loaded_driver.h"
#include "runtime/stream.h"
#include "runtime/stream_state.h"
#include "runtime/transfer.h"

namespace sidra::runtime {
namespace {

std::atomic<ReleaseObserver> observer{nullptr};

void release_context(void* context) { release_block(static_cast<Block*>(context)); }

class SidraAllocator final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    const c10::DeviceIndex device = check_device(-1);
    return block_data_ptr(allocate_block(device, bytes), c10::Device(kDeviceType, device));
  }

  // The context is a block, never the memory itself, so the raw interface cannot work.
  bool is_simple_data_ptr(const c10::DataPtr&) const override { return false; }

  void copy_data(void* destination, const void* source, size_t bytes) const override {
    if (bytes == 0) return;
    const uint64_t to = reinterpret_cast<uint64_t>(destination);
    const auto device = device_of_address(to);
    if (!device) raise(ErrorKind::kValue, "sidra: the destination of a copy is not device memory");
    copy_on_device(*device, to, reinterpret_cast<uint64_t>(source), bytes);
  }

  bool initialized() override { return is_initialized(); }

  void emptyCache(c10::MempoolId_t /*no private pools*/) override {
    if (!is_initialized()) return;
    for (c10::DeviceIndex device = 0; device < device_count(); ++device) {
      if (DeviceMemory* memory = device_memory_if_used(device)) memory->empty_cache();
    }
  }

  void recordStream(const c10::DataPtr& data, c10::Stream stream) override {
    Block* block = block_of(data);
    if (!block || driver().completes_at_submission) return;
    stream_handle(stream);  // checks it
    device_memory(block->device).record_stream(static_cast<PooledBlock*>(block), stream);
  }

  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex device) override {
    DeviceMemory* memory = device_memory_if_used(check_device(device));
    return memory ? memory->statistics() : MemoryStatistics::Stats{};
  }

  void resetAccumulatedStats(c10::DeviceIndex device) override {
    if (DeviceMemory* memory = device_memory_if_used(check_device(device))) {
      memory->reset_accumulated();
    }
  }

  void resetPeakStats(c10::DeviceIndex device) override {
    if (DeviceMemory* memory = device_memory_if_used(check_device(device))) memory->reset_peaks();
  }

  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override {
    device = check_device(device);
    uint64_t free = 0, total = 0;
    SIDRA_CHECK(driver().table->memory_info(driver().instance, device, &free, &total),
                "sidra:" + std::to_string(device) + ": reading free memory");
    return {free, total};
  }
};

}  // namespace

Block* allocate_block(c10::DeviceIndex device, size_t bytes) {
  device = check_device(device);
  if (__builtin_expect(!is_initialized(), 0)) initialize();
  DeviceMemory& memory = device_memory(device);
  Block* block =
      bytes ? memory.allocate(bytes, current_stream_id(device)) : memory.allocate_empty();
  block->writes.store(0, std::memory_order_relaxed);
  block->computed.store(false, std::memory_order_relaxed);
  block->resident.store(false, std::memory_order_relaxed);
  return block;
}

void release_block(Block* block) noexcept {
  // At exit and in a forked child nothing is reused, and the driver is not called.
  if (process_is_exiting() || is_in_bad_fork()) return;
  if (block->resident.load(std::memory_order_acquire)) {
    if (ReleaseObserver observe = observer.load(std::memory_order_acquire)) observe(block);
  }
  device_memory(block->device).release(static_cast<PooledBlock*>(block));
}

c10::DataPtr block_data_ptr(Block* block, c10::Device device) {
  return {reinterpret_cast<void*>(block->address), block, &release_context, device};
}

Block* block_of(const c10::DataPtr& data) noexcept {
  return data.get_deleter() == &release_context ? static_cast<Block*>(data.get_context()) : nullptr;
}

Block* block_of(const c10::StorageImpl& storage) noexcept { return block_of(storage.data_ptr()); }

c10::DeviceAllocator* device_allocator() {
  static SidraAllocator* const instance = new SidraAllocator;  // outlives every tensor
  return instance;
}

void set_release_observer(ReleaseObserver value) {
  observer.store(value, std::memory_order_release);
}

namespace {
[[maybe_unused]] const bool registered = [] {
  c10::SetAllocator(kDeviceType, device_allocator());
  return true;
}();
}  // namespace

}  // namespace sidra::runtime
