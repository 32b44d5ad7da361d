#include "runtime/address_map.h"

#include <map>
#include <mutex>
#include <shared_mutex>

namespace sidra::runtime {
namespace {

struct Range {
  uint64_t bytes;
  c10::DeviceIndex device;
};

struct Ranges {
  std::shared_mutex mutex;
  std::map<uint64_t, Range> by_address;
};

Ranges& ranges() {
  static Ranges* const instance = new Ranges;  // outlives every tensor
  return *instance;
}

}  // namespace

void add_address_range(uint64_t address, uint64_t bytes, c10::DeviceIndex device) {
  const std::unique_lock<std::shared_mutex> lock(ranges().mutex);
  ranges().by_address[address] = {bytes, device};
}

void remove_address_range(uint64_t address) {
  const std::unique_lock<std::shared_mutex> lock(ranges().mutex);
  ranges().by_address.erase(address);
}

std::optional<c10::DeviceIndex> device_of_address(uint64_t address) {
  const std::shared_lock<std::shared_mutex> lock(ranges().mutex);
  auto range = ranges().by_address.upper_bound(address);
  if (range == ranges().by_address.begin()) return std::nullopt;
  --range;
  if (address - range->first >= range->second.bytes) return std::nullopt;
  return range->second.device;
}

}  // namespace sidra::runtime
