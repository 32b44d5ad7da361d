#include "runtime/device_memory.h"

#include <c10/core/Allocator.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <string>

#include "runtime/address_map.h"
#include "runtime/device.h"
#include "runtime/driver_loader.h"
#include "runtime/error.h"
#include "runtime/loaded_driver.h"

namespace sidra::runtime {
namespace {

constexpr size_t kMebibyte = size_t{1} << 20;
constexpr size_t kSmallLimit = kMebibyte;            // a greater request is large
constexpr size_t kSmallSegment = 2 * kMebibyte;      // memory for small requests comes in these
constexpr size_t kLargeSegment = 20 * kMebibyte;     // and for large ones up to
constexpr size_t kOwnSegmentLimit = 10 * kMebibyte;  // this; beyond it, a segment of its own
constexpr size_t kOwnSegmentStep = 2 * kMebibyte;

size_t round_up(size_t bytes, size_t step) { return (bytes + step - 1) / step * step; }

size_t segment_bytes(size_t bytes) {
  if (bytes <= kSmallLimit) return kSmallSegment;
  return bytes < kOwnSegmentLimit ? kLargeSegment : round_up(bytes, kOwnSegmentStep);
}

std::atomic<DeviceMemory*> memories[kMaxDevices];
std::mutex creation;

}  // namespace

DeviceMemory* device_memory_if_used(c10::DeviceIndex device) noexcept {
  return memories[device].load(std::memory_order_acquire);
}

DeviceMemory& device_memory(c10::DeviceIndex device) {
  if (DeviceMemory* memory = device_memory_if_used(device)) return *memory;
  const std::lock_guard<std::mutex> lock(creation);
  DeviceMemory* memory = device_memory_if_used(device);
  if (!memory) {
    memory = new DeviceMemory(device);
    memories[device].store(memory, std::memory_order_release);
  }
  return *memory;
}

SegmentPool& DeviceMemory::pool_for(size_t bytes, c10::StreamId id) {
  const Size size = bytes <= kSmallLimit ? kSmall : kLarge;
  std::unique_ptr<SegmentPool>& pool = pools_[id][size];
  if (!pool) pool = std::make_unique<SegmentPool>(records_, size == kLarge, id);
  return *pool;
}

PooledBlock* DeviceMemory::take(SegmentPool& pool, size_t bytes) {
  const int64_t blocks = pool.split_blocks();
  const int64_t split_bytes = pool.split_bytes();
  PooledBlock* block = pool.take(bytes);
  statistics_.split_changed(pool.large(), pool.split_blocks() - blocks,
                            pool.split_bytes() - split_bytes);
  return block;
}

void DeviceMemory::give(PooledBlock* block) noexcept {
  SegmentPool& pool = *block->pool;
  const int64_t blocks = pool.split_blocks();
  const int64_t split_bytes = pool.split_bytes();
  block->context.reset();
  pool.give(block);
  statistics_.split_changed(pool.large(), pool.split_blocks() - blocks,
                            pool.split_bytes() - split_bytes);
}

PooledBlock* DeviceMemory::allocate(size_t bytes, c10::StreamId id) {
  PooledBlock* block;
  size_t allocated, reserved;
  const MemoryContext context = capture_memory_context(RecordContext::STATE);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!waiting_.empty()) collect_waiting(/*wait=*/false);
    if (bytes > std::numeric_limits<int64_t>::max() / 2) raise_out_of_memory(bytes, context);
    const size_t size = round_up(bytes, kBlockAlignment);
    SegmentPool& pool = pool_for(size, id);
    block = take(pool, size);
    if (!block) block = take_after_growing(pool, size, bytes, context);
    block->requested = bytes;
    block->context = context;
    note(MemoryEvent::ALLOC, *block, context);
    statistics_.allocated(pool.large(), size, bytes);
    allocated = statistics_.allocated_bytes();
    reserved = statistics_.reserved_bytes();
  }
  report(*block, static_cast<int64_t>(block->size), allocated, reserved);
  return block;
}

PooledBlock* DeviceMemory::allocate_empty() {
  const std::lock_guard<std::mutex> lock(mutex_);
  PooledBlock* block = records_.take();
  block->pool = nullptr;
  block->address = 0;
  block->size = block->requested = 0;
  block->device = device_;
  return block;
}

void DeviceMemory::release(PooledBlock* block) noexcept {
  const int64_t size = static_cast<int64_t>(block->size);
  const uint64_t address = block->address;
  size_t allocated, reserved;
  const MemoryContext context = capture_memory_context(RecordContext::ALL);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!block->pool) return records_.give(block);
    const bool large = block->pool->large();
    statistics_.released(large, block->size, block->requested);
    allocated = statistics_.allocated_bytes();
    reserved = statistics_.reserved_bytes();
    note(MemoryEvent::FREE_REQUESTED, *block, context);
    if (block->used_on.empty()) {
      note(MemoryEvent::FREE_COMPLETED, *block, context);
      give(block);
    } else {
      try {
        waiting_.add(block);
        block->waiting = true;
        statistics_.waiting(large, block->size);
      } catch (...) {  // its streams cannot be asked, so the memory is never reused
      }
    }
  }
  c10::reportMemoryUsageToProfiler(reinterpret_cast<void*>(address), -size, allocated, reserved,
                                   c10::Device(kDeviceType, device_));
}

void DeviceMemory::report(const PooledBlock& block, int64_t bytes, size_t allocated,
                          size_t reserved) const {
  c10::reportMemoryUsageToProfiler(reinterpret_cast<void*>(block.address), bytes, allocated,
                                   reserved, c10::Device(kDeviceType, device_));
}

void DeviceMemory::record_stream(PooledBlock* block, c10::Stream stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!block->pool) return;
  const bool own = stream.device_index() == device_ &&
                   block->pool == pools_[stream.id()][block->pool->large()].get();
  auto& used_on = block->used_on;
  if (own || std::find(used_on.begin(), used_on.end(), stream) != used_on.end()) return;
  used_on.push_back(stream);
}

void DeviceMemory::collect_waiting(bool wait) {
  for (PooledBlock* block : waiting_.collect(wait)) {
    statistics_.waited(block->pool->large(), block->size);
    block->waiting = false;
    note(MemoryEvent::FREE_COMPLETED, *block, nullptr);
    give(block);
  }
  if (wait) statistics_.synchronized();
}

// In order: a whole segment, exactly what is asked, then both again without the cache.
PooledBlock* DeviceMemory::take_after_growing(SegmentPool& pool, size_t bytes, size_t requested,
                                              const MemoryContext& context) {
  const size_t segment = segment_bytes(bytes);
  if (add_segment(pool, segment, context) || add_segment(pool, bytes, context)) {
    return take(pool, bytes);
  }
  if (!waiting_.empty()) {
    collect_waiting(/*wait=*/true);
    if (PooledBlock* block = take(pool, bytes)) return block;
  }
  statistics_.retried();
  free_segments();
  if (add_segment(pool, segment, context) || add_segment(pool, bytes, context)) {
    return take(pool, bytes);
  }
  raise_out_of_memory(requested, context);
}

bool DeviceMemory::add_segment(SegmentPool& pool, size_t bytes, const MemoryContext& context) {
  if (bytes > limit_ || statistics_.reserved_bytes() > limit_ - bytes) return false;
  const Driver& open = driver();
  uint64_t address = 0;
  const sidra_status status = open.table->memory_alloc(open.instance, device_, bytes, &address);
  if (status == SIDRA_STATUS_OUT_OF_MEMORY) return false;
  SIDRA_CHECK(status, "sidra:" + std::to_string(device_) + ": allocate " +
                          c10::CachingAllocator::format_size(bytes));
  add_address_range(address, bytes, device_);
  pool.add_segment(device_, address, bytes);
  record_memory_event(MemoryEvent::SEGMENT_ALLOC, device_, address, bytes, pool.stream(), context);
  statistics_.segment_added(pool.large(), bytes);
  return true;
}

void DeviceMemory::free_segments() {
  const Driver& open = driver();
  if (!open.completes_at_submission) synchronize_device(device_);
  for (auto& stream_pools : pools_) {
    for (std::unique_ptr<SegmentPool>& pool : stream_pools) {
      if (!pool) continue;
      for (PooledBlock* block : pool->remove_free_segments()) {
        remove_address_range(block->address);
        note(MemoryEvent::SEGMENT_FREE, *block, nullptr);
        SIDRA_WARN(open.table->memory_free(open.instance, block->address),
                   "sidra: freeing device memory");
        statistics_.segment_removed(pool->large(), block->size);
        records_.give(block);
      }
    }
  }
}

void DeviceMemory::empty_cache() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!waiting_.empty()) collect_waiting(/*wait=*/true);
  free_segments();
}

void DeviceMemory::raise_out_of_memory(size_t requested, const MemoryContext& context) {
  using c10::CachingAllocator::format_size;
  statistics_.out_of_memory();
  const Driver& open = driver();
  uint64_t free = 0, total = 0;
  SIDRA_WARN(open.table->memory_info(open.instance, device_, &free, &total),
             "sidra: reading free memory");
  record_memory_event(MemoryEvent::OOM, device_, free, requested, 0, context);
  const size_t allocated = statistics_.allocated_bytes();
  const size_t reserved = statistics_.reserved_bytes();
  const std::string device = "sidra:" + std::to_string(device_);
  c10::reportOutOfMemoryToProfiler(static_cast<int64_t>(requested), allocated, reserved,
                                   c10::Device(kDeviceType, device_));
  raise(ErrorKind::kMemory,
        "sidra out of memory. Tried to allocate " + format_size(requested) + ". " + device +
            " has a total capacity of " + format_size(total) + " of which " + format_size(free) +
            " is free. " + format_size(allocated) + " is allocated by PyTorch, and " +
            format_size(reserved - allocated) +
            " is reserved by PyTorch but unallocated. torch.sidra.memory_summary() shows the use");
}

MemoryStatistics::Stats DeviceMemory::statistics() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return statistics_.snapshot();
}

void DeviceMemory::set_limit(size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  limit_ = bytes;
}

void DeviceMemory::note(MemoryEvent::Action action, const PooledBlock& block,
                        const MemoryContext& context) const {
  record_memory_event(action, device_, block.address, block.size, block.pool->stream(), context);
}

namespace {

c10::CachingDeviceAllocator::SegmentInfo segment_info(const SegmentPool& pool,
                                                      const PooledBlock* block) {
  c10::CachingDeviceAllocator::SegmentInfo segment;
  segment.device = block->device;
  segment.address = block->address;
  segment.stream = reinterpret_cast<void*>(pool.stream());
  segment.is_large = pool.large();
  for (; block; block = block->after) {
    const bool active = !block->free, allocated = active && !block->waiting;
    segment.total_size += block->size;
    segment.active_size += active ? block->size : 0;
    segment.allocated_size += allocated ? block->size : 0;
    segment.requested_size += allocated ? block->requested : 0;
    segment.blocks.push_back(
        {block->size, active ? block->requested : 0, 0, allocated, active, block->context});
  }
  return segment;
}

}  // namespace

std::vector<c10::CachingDeviceAllocator::SegmentInfo> DeviceMemory::segments() {
  std::vector<c10::CachingDeviceAllocator::SegmentInfo> found;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& stream_pools : pools_) {
    for (const std::unique_ptr<SegmentPool>& pool : stream_pools) {
      if (!pool) continue;
      for (const auto& [address, block] : pool->segments()) {
        found.push_back(segment_info(*pool, block));
      }
    }
  }
  return found;
}

void DeviceMemory::reset_accumulated() {
  const std::lock_guard<std::mutex> lock(mutex_);
  statistics_.reset_accumulated();
}

void DeviceMemory::reset_peaks() {
  const std::lock_guard<std::mutex> lock(mutex_);
  statistics_.reset_peaks();
}

}  // namespace sidra::runtime
