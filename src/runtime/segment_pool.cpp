#include "runtime/segment_pool.h"

#include <bit>

namespace sidra::runtime {

void BlockRecords::refill() {
  constexpr int kChunk = 256;
  PooledBlock* chunk = new PooledBlock[kChunk];
  for (int i = kChunk - 1; i >= 0; --i) give(&chunk[i]);
}

// Below 16 units each size is its own class; above, an octave is cut into 16 equal steps.
SegmentPool::SizeClass SegmentPool::class_of(size_t bytes) {
  const size_t units = bytes / kBlockAlignment;
  const int log = std::bit_width(units) - 1;
  if (log < kClassBits) return {0, static_cast<int>(units)};
  return {log - kClassBits + 1, static_cast<int>((units >> (log - kClassBits)) & (kClasses - 1))};
}

void SegmentPool::add_segment(c10::DeviceIndex device, uint64_t address, size_t bytes) {
  PooledBlock* block = records_.take();
  block->pool = this;
  block->address = address;
  block->size = bytes;
  block->device = device;
  segments_.emplace(address, block);
  insert(block);
}

PooledBlock* SegmentPool::find(size_t bytes) const {
  const SizeClass own = class_of(bytes);
  PooledBlock* block = lists_[own.octave][own.step];
  for (int probe = 0; block && probe < kProbes; ++probe, block = block->next_free) {
    if (block->size >= bytes) return block;
  }
  // Any block of a greater class fits.
  const uint32_t steps = step_map_[own.octave] & (~uint32_t{1} << own.step);
  if (steps) return lists_[own.octave][std::countr_zero(steps)];
  const uint64_t octaves = octave_map_ & (~uint64_t{1} << own.octave);
  if (!octaves) return nullptr;
  const int octave = std::countr_zero(octaves);
  return lists_[octave][std::countr_zero(step_map_[octave])];
}

PooledBlock* SegmentPool::take(size_t bytes) {
  PooledBlock* block = find(bytes);
  if (!block) return nullptr;
  remove(block);
  if (block->size > bytes) split(block, bytes);
  return block;
}

void SegmentPool::split(PooledBlock* block, size_t bytes) {
  PooledBlock* rest = records_.take();
  rest->pool = this;
  rest->address = block->address + bytes;
  rest->size = block->size - bytes;
  rest->device = block->device;
  rest->before = block;
  rest->after = block->after;
  if (rest->after) rest->after->before = rest;
  block->after = rest;
  block->size = bytes;
  insert(rest);
}

void SegmentPool::give(PooledBlock* block) noexcept {
  PooledBlock* before = block->before;
  if (block->after && block->after->free) {
    remove(block->after);
    absorb_after(block);
  }
  if (before && before->free) {
    remove(before);
    absorb_after(before);
    block = before;
  }
  insert(block);
}

// The neighbour after `block` becomes part of it.
void SegmentPool::absorb_after(PooledBlock* block) noexcept {
  PooledBlock* gone = block->after;
  block->size += gone->size;
  block->after = gone->after;
  if (block->after) block->after->before = block;
  gone->before = gone->after = nullptr;
  records_.give(gone);
}

void SegmentPool::insert(PooledBlock* block) noexcept {
  const SizeClass size_class = class_of(block->size);
  PooledBlock*& head = lists_[size_class.octave][size_class.step];
  block->free = true;
  block->previous_free = nullptr;
  block->next_free = head;
  if (head) head->previous_free = block;
  head = block;
  octave_map_ |= uint64_t{1} << size_class.octave;
  step_map_[size_class.octave] |= uint32_t{1} << size_class.step;
  if (!block->before && !block->after) return;
  ++split_blocks_;
  split_bytes_ += block->size;
}

void SegmentPool::remove(PooledBlock* block) noexcept {
  const SizeClass size_class = class_of(block->size);
  if (block->next_free) block->next_free->previous_free = block->previous_free;
  if (block->previous_free) {
    block->previous_free->next_free = block->next_free;
  } else {
    lists_[size_class.octave][size_class.step] = block->next_free;
    if (!block->next_free) step_map_[size_class.octave] &= ~(uint32_t{1} << size_class.step);
    if (!step_map_[size_class.octave]) octave_map_ &= ~(uint64_t{1} << size_class.octave);
  }
  block->free = false;
  block->next_free = block->previous_free = nullptr;
  if (!block->before && !block->after) return;
  --split_blocks_;
  split_bytes_ -= block->size;
}

std::vector<PooledBlock*> SegmentPool::remove_free_segments() {
  std::vector<PooledBlock*> whole;
  for (auto& octave : lists_) {
    for (PooledBlock* head : octave) {
      for (PooledBlock* block = head; block; block = block->next_free) {
        if (!block->before && !block->after) whole.push_back(block);
      }
    }
  }
  for (PooledBlock* block : whole) {
    remove(block);
    segments_.erase(block->address);
  }
  return whole;
}

}  // namespace sidra::runtime
