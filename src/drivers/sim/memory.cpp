#include "drivers/sim/memory.h"

#include <algorithm>
#include <mutex>

#include "drivers/abi/error.h"
#include "drivers/sim/mapping.h"

namespace sidra::sim {
namespace {

constexpr uint64_t kGranule = 64;  // what an allocation's size is counted in

}  // namespace

Memory::Memory(uint64_t devices, uint64_t bytes_of_each, bool strict)
    : bytes_of_each_(bytes_of_each), strict_(strict), used_(devices) {}

Memory::~Memory() {
  for (const Allocation& allocation : allocations_) unmap(allocation);
}

uint64_t Memory::allocate(int32_t device, uint64_t bytes) {
  if (bytes == 0) fail(SIDRA_STATUS_INVALID_ARGUMENT, "memory_alloc: 0 bytes");
  const uint64_t granules = bytes / kGranule + (bytes % kGranule > 0 ? 1 : 0);
  const uint64_t counted = granules > UINT64_MAX / kGranule ? UINT64_MAX : granules * kGranule;
  reserve(device, bytes, counted);
  const Allocation allocation = map(device, bytes, counted);
  if (allocation.host == nullptr) {
    used_[static_cast<size_t>(device)] -= counted;
    fail(SIDRA_STATUS_OUT_OF_MEMORY, "memory_alloc: the host has no ", bytes,
         " bytes left to simulate device memory with");
  }
  const std::unique_lock lock(mutex_);
  const auto above = std::upper_bound(
      allocations_.begin(), allocations_.end(), allocation.address,
      [](uint64_t address, const Allocation& other) { return address < other.address; });
  allocations_.insert(above, allocation);
  return allocation.address;
}

void Memory::release(uint64_t address) {
  Allocation found;
  {
    const std::unique_lock lock(mutex_);
    const auto candidate = at_or_below(address);
    if (candidate == allocations_.end() || candidate->address != address) {
      fail(SIDRA_STATUS_NOT_FOUND, "memory_free: ", hex(address), " was not handed out");
    }
    found = *candidate;
    allocations_.erase(candidate);
  }
  unmap(found);
  used_[static_cast<size_t>(found.device)] -= found.counted;
}

uint64_t Memory::free_bytes(int32_t device) const {
  return bytes_of_each_ - used_[static_cast<size_t>(device)];
}

Span Memory::find(const char* what, uint64_t address, uint64_t bytes) const {
  const std::shared_lock lock(mutex_);
  const auto found = at_or_below(address);
  const uint64_t offset = found == allocations_.end() ? 0 : address - found->address;
  if (found == allocations_.end() || offset >= found->bytes) {
    fail(SIDRA_STATUS_NOT_FOUND, what, ": ", hex(address), " (", bytes,
         " bytes) is in no allocation");
  }
  if (bytes > found->bytes - offset) {
    fail(SIDRA_STATUS_INVALID_ARGUMENT, what, ": ", hex(address), " (", bytes,
         " bytes) runs past the end of its allocation, ", found->bytes, " bytes from ",
         hex(found->address));
  }
  return {found->host + offset, found->device};
}

void Memory::reserve(int32_t device, uint64_t bytes, uint64_t counted) {
  std::atomic<uint64_t>& used = used_[static_cast<size_t>(device)];
  uint64_t before = used;
  do {
    const uint64_t free = bytes_of_each_ - before;
    if (counted > free) {
      fail(SIDRA_STATUS_OUT_OF_MEMORY, "memory_alloc: asked for ", bytes, " bytes on device ",
           device, ", free are ", free, " of ", bytes_of_each_);
    }
  } while (!used.compare_exchange_weak(before, before + counted));
}

Memory::Allocation Memory::map(int32_t device, uint64_t bytes, uint64_t counted) const {
  std::byte* const host = map_pages(bytes);
  std::byte* const name = strict_ && host != nullptr ? map_inaccessible(bytes) : host;
  if (name == nullptr && host != nullptr) unmap_pages(host, bytes);
  return {reinterpret_cast<uintptr_t>(name), bytes, counted, name == nullptr ? nullptr : host,
          device};
}

void Memory::unmap(const Allocation& allocation) const {
  unmap_pages(allocation.host, allocation.bytes);
  if (strict_) {
    unmap_pages(reinterpret_cast<std::byte*>(allocation.address), allocation.bytes);
  }
}

std::vector<Memory::Allocation>::const_iterator Memory::at_or_below(uint64_t address) const {
  const auto above = std::upper_bound(
      allocations_.begin(), allocations_.end(), address,
      [](uint64_t value, const Allocation& other) { return value < other.address; });
  return above == allocations_.begin() ? allocations_.end() : above - 1;
}

}  // namespace sidra::sim
