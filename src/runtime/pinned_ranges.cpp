#include "runtime/pinned_ranges.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace sidra::runtime {
namespace {

struct Ranges {
  std::shared_mutex mutex;
  std::map<uintptr_t, size_t> bytes_at;
  // The span that holds every range there ever was: it only grows, so a stale read misses nothing
  // that the caller could know of.
  std::atomic<uintptr_t> lowest{std::numeric_limits<uintptr_t>::max()};
  std::atomic<uintptr_t> highest{0};
};

Ranges& ranges() {
  static Ranges* const instance = new Ranges;  // outlives every tensor
  return *instance;
}

}  // namespace

void add_pinned_range(const void* begin, size_t bytes) {
  Ranges& all = ranges();
  const uintptr_t address = reinterpret_cast<uintptr_t>(begin);
  const std::unique_lock<std::shared_mutex> lock(all.mutex);
  all.bytes_at[address] = bytes;
  all.lowest = std::min<uintptr_t>(all.lowest, address);
  all.highest = std::max<uintptr_t>(all.highest, address + bytes);
}

void remove_pinned_range(const void* begin) {
  const std::unique_lock<std::shared_mutex> lock(ranges().mutex);
  ranges().bytes_at.erase(reinterpret_cast<uintptr_t>(begin));
}

bool in_pinned_range(const void* pointer) {
  Ranges& all = ranges();
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  if (address < all.lowest || address >= all.highest) return false;
  const std::shared_lock<std::shared_mutex> lock(all.mutex);
  auto range = all.bytes_at.upper_bound(address);
  if (range == all.bytes_at.begin()) return false;
  --range;
  return address - range->first < range->second;
}

}  // namespace sidra::runtime
