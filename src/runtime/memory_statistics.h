// What the allocator counts, under CUDA's names. The device's lock guards it.
#pragma once

#include <c10/core/CachingDeviceAllocator.h>

#include <cstddef>

namespace sidra::runtime {

class MemoryStatistics {
 public:
  using Stats = c10::CachingDeviceAllocator::DeviceStats;

  void allocated(bool large, size_t bytes, size_t requested) {
    increase(stats_.allocation, large, 1);
    increase(stats_.allocated_bytes, large, bytes);
    increase(stats_.requested_bytes, large, requested);
  }
  void released(bool large, size_t bytes, size_t requested) {
    decrease(stats_.allocation, large, 1);
    decrease(stats_.allocated_bytes, large, bytes);
    decrease(stats_.requested_bytes, large, requested);
  }
  // Blocks that are released but still in use by a stream count as active only.
  void waiting(bool large, size_t bytes) {
    increase(waiting_, large, 1);
    increase(waiting_bytes_, large, bytes);
  }
  void waited(bool large, size_t bytes) {
    decrease(waiting_, large, 1);
    decrease(waiting_bytes_, large, bytes);
  }
  void segment_added(bool large, size_t bytes) {
    increase(stats_.segment, large, 1);
    increase(stats_.reserved_bytes, large, bytes);
    ++stats_.num_device_alloc;
  }
  void segment_removed(bool large, size_t bytes) {
    decrease(stats_.segment, large, 1);
    decrease(stats_.reserved_bytes, large, bytes);
    ++stats_.num_device_free;
  }
  // Free memory of segments in use moved from (blocks, bytes) to what it is now.
  void split_changed(bool large, int64_t blocks, int64_t bytes) {
    if (blocks) change(stats_.inactive_split, large, blocks);
    if (bytes) change(stats_.inactive_split_bytes, large, bytes);
  }
  void retried() { ++stats_.num_alloc_retries; }
  void out_of_memory() { ++stats_.num_ooms; }
  void synchronized() { ++stats_.num_sync_all_streams; }

  size_t allocated_bytes() const { return stats_.allocated_bytes[0].current; }
  size_t reserved_bytes() const { return stats_.reserved_bytes[0].current; }

  Stats snapshot() const;
  void reset_accumulated();
  void reset_peaks();

 private:
  using StatArray = c10::CachingAllocator::StatArray;

  static void increase(StatArray& stats, bool large, size_t amount) {
    stats[0].increase(amount);
    stats[1 + large].increase(amount);
  }
  static void decrease(StatArray& stats, bool large, size_t amount) {
    stats[0].decrease(amount);
    stats[1 + large].decrease(amount);
  }
  static void change(StatArray& stats, bool large, int64_t amount) {
    if (amount > 0) {
      increase(stats, large, amount);
    } else {
      decrease(stats, large, -amount);
    }
  }

  Stats stats_;
  StatArray waiting_, waiting_bytes_;
};

}  // namespace sidra::runtime
