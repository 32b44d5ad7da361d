// Device memory: which addresses are handed out, and where their bytes are.
//
// Coherent: an address is the host pointer to its bytes. Strict: addresses are reserved without
// access rights, so that a host access faults, and the bytes lie elsewhere.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <shared_mutex>
#include <vector>

namespace sidra::sim {

// Bytes of device memory as the driver reaches them.
struct Span {
  std::byte* host;
  int32_t device;
};

// The allocations of all devices of an instance. Looking one up costs a shared lock and a binary
// search; the caller is a caching allocator, so changes are rare.
class Memory {
 public:
  Memory(uint64_t devices, uint64_t bytes_of_each, bool strict);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Throws Error: INVALID_ARGUMENT for 0 bytes, OUT_OF_MEMORY with asked, free and total.
  uint64_t allocate(int32_t device, uint64_t bytes);
  // Throws Error (NOT_FOUND) unless `allocate` returned the address.
  void release(uint64_t address);

  uint64_t free_bytes(int32_t device) const;
  uint64_t total_bytes() const { return bytes_of_each_; }

  // Where [address, address + bytes) lies. `what` names the argument in the Error: NOT_FOUND
  // outside every allocation, INVALID_ARGUMENT past the end of one.
  Span find(const char* what, uint64_t address, uint64_t bytes) const;

 private:
  struct Allocation {
    uint64_t address;
    uint64_t bytes;    // as asked
    uint64_t counted;  // of the device's memory
    std::byte* host;
    int32_t device;
  };

  void reserve(int32_t device, uint64_t bytes, uint64_t counted);
  Allocation map(int32_t device, uint64_t bytes, uint64_t counted) const;
  void unmap(const Allocation& allocation) const;
  // The allocation that begins last at or below `address`, or the end.
  std::vector<Allocation>::const_iterator at_or_below(uint64_t address) const;

  const uint64_t bytes_of_each_;
  const bool strict_;
  std::vector<std::atomic<uint64_t>> used_;  // [devices] bytes
  mutable std::shared_mutex mutex_;
  std::vector<Allocation> allocations_;  // by address
};

}  // namespace sidra::sim
