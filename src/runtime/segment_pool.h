// Free memory of one stream, in segments that the driver gave: split to fit, merged when free.
//
// A two-level segregated fit: a free block hangs in the list of its size class, 16 classes to an
// octave, and a bit map names the lists that are not empty. Taking and giving are O(1); the
// bookkeeping lies beside the device's memory, which the host may not be able to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "runtime/allocator.h"
#include "runtime/memory_history.h"

namespace sidra::runtime {

inline constexpr size_t kBlockAlignment = 512;  // bytes; sizes are multiples of it

class SegmentPool;

// A block and its place in its segment. `pool` is null for a block without memory.
struct PooledBlock : Block {
  SegmentPool* pool = nullptr;
  PooledBlock* before = nullptr;  // neighbours in the segment, by address
  PooledBlock* after = nullptr;
  PooledBlock* next_free = nullptr;  // in the list of its size class, or of unused records
  PooledBlock* previous_free = nullptr;
  bool free = false;
  bool waiting = false;              // released, but a stream may still use it
  std::vector<c10::Stream> used_on;  // other streams that it was recorded on
  MemoryContext context;             // who allocated it, while that is recorded
};

// Unused records; they are made by the chunk and never go back to the heap.
class BlockRecords {
 public:
  PooledBlock* take() {
    if (!unused_) refill();
    PooledBlock* record = unused_;
    unused_ = record->next_free;
    record->next_free = nullptr;
    return record;
  }
  void give(PooledBlock* record) noexcept {
    record->next_free = unused_;
    unused_ = record;
  }

 private:
  void refill();
  PooledBlock* unused_ = nullptr;
};

class SegmentPool {
 public:
  SegmentPool(BlockRecords& records, bool large, c10::StreamId stream)
      : records_(records), large_(large), stream_(stream) {}
  SegmentPool(const SegmentPool&) = delete;
  SegmentPool& operator=(const SegmentPool&) = delete;

  bool large() const { return large_; }
  c10::StreamId stream() const { return stream_; }
  // Free blocks whose segment is partly in use.
  size_t split_blocks() const { return split_blocks_; }
  size_t split_bytes() const { return split_bytes_; }

  void add_segment(c10::DeviceIndex device, uint64_t address, size_t bytes);
  // The first block of each segment, by address; the others follow it.
  const std::map<uint64_t, PooledBlock*>& segments() const { return segments_; }
  // A block of exactly `bytes`, a multiple of kBlockAlignment; null when nothing fits.
  PooledBlock* take(size_t bytes);
  void give(PooledBlock* block) noexcept;
  // Removes the segments that are free from end to end and returns their blocks, the caller's to
  // give back to the records.
  std::vector<PooledBlock*> remove_free_segments();

 private:
  static constexpr int kClassBits = 4;
  static constexpr int kClasses = 1 << kClassBits;  // to an octave
  static constexpr int kOctaves = 40;               // up to 2^52 bytes
  static constexpr int kProbes = 8;                 // blocks of its own class that a request tries

  struct SizeClass {
    int octave, step;
  };
  static SizeClass class_of(size_t bytes);

  PooledBlock* find(size_t bytes) const;
  void insert(PooledBlock* block) noexcept;
  void remove(PooledBlock* block) noexcept;
  void split(PooledBlock* block, size_t bytes);
  void absorb_after(PooledBlock* block) noexcept;

  BlockRecords& records_;
  const bool large_;
  const c10::StreamId stream_;
  std::map<uint64_t, PooledBlock*> segments_;
  size_t split_blocks_ = 0, split_bytes_ = 0;
  uint64_t octave_map_ = 0;
  uint32_t step_map_[kOctaves] = {};
  PooledBlock* lists_[kOctaves][kClasses] = {};
};

}  // namespace sidra::runtime
