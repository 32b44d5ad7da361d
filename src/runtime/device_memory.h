// The memory of one device: pools per stream, statistics, and the driver behind them.
#pragma once

#include <memory>
#include <mutex>

#include "runtime/memory_statistics.h"
#include "runtime/segment_pool.h"
#include "runtime/stream_state.h"
#include "runtime/waiting_blocks.h"

namespace sidra::runtime {

class DeviceMemory {
 public:
  explicit DeviceMemory(c10::DeviceIndex device) : device_(device) {}

  // Memory for commands of stream `id`. Raises kMemory when even an empty cache does not help.
  PooledBlock* allocate(size_t bytes, c10::StreamId id);
  // A block without memory, of no size.
  PooledBlock* allocate_empty();
  void release(PooledBlock* block) noexcept;
  // The block's memory is not used again before commands submitted to `stream`, of any
  // device, are done.
  void record_stream(PooledBlock* block, c10::Stream stream);
  void empty_cache();

  MemoryStatistics::Stats statistics();
  // What the driver gave, and the blocks that it is cut into.
  std::vector<c10::CachingDeviceAllocator::SegmentInfo> segments();
  // At most `bytes` are taken from the driver.
  void set_limit(size_t bytes);
  void reset_accumulated();
  void reset_peaks();

 private:
  enum Size { kSmall, kLarge };

  SegmentPool& pool_for(size_t bytes, c10::StreamId id);
  PooledBlock* take(SegmentPool& pool, size_t bytes);
  void give(PooledBlock* block) noexcept;
  void note(MemoryEvent::Action action, const PooledBlock& block,
            const MemoryContext& context) const;
  PooledBlock* take_after_growing(SegmentPool& pool, size_t bytes, size_t requested,
                                  const MemoryContext& context);
  bool add_segment(SegmentPool& pool, size_t bytes, const MemoryContext& context);
  void free_segments();
  void collect_waiting(bool wait);
  [[noreturn]] void raise_out_of_memory(size_t requested, const MemoryContext& context);
  void report(const PooledBlock& block, int64_t bytes, size_t allocated, size_t reserved) const;

  const c10::DeviceIndex device_;
  size_t limit_ = SIZE_MAX;  // bytes
  std::mutex mutex_;
  BlockRecords records_;
  MemoryStatistics statistics_;
  WaitingBlocks waiting_;
  std::unique_ptr<SegmentPool> pools_[kStreamsPerDevice][2];
};

// Of a valid index; made when first asked for, never destroyed.
DeviceMemory& device_memory(c10::DeviceIndex device);
// Null when the device has never held memory.
DeviceMemory* device_memory_if_used(c10::DeviceIndex device) noexcept;

}  // namespace sidra::runtime
