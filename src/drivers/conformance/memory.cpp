// Device memory: addresses, limits, the host's view.
#include <algorithm>

#include "drivers/conformance/target.h"

namespace sidra::conformance {
namespace {

TEST(memory_addresses_are_aligned_and_apart) {
  const Session session(2);
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  std::vector<uint64_t> sizes = {1, 63, 64, 65, 4096, 100000, 5u << 20};
  for (const int32_t device : {0, 1}) {
    for (const uint64_t bytes : sizes) {
      uint64_t address = 0;
      CHECK_OK(driver().memory_alloc(session.instance(), device, bytes, &address));
      CHECK(address != 0);
      CHECK_EQ(address % 64, uint64_t{0});
      ranges.emplace_back(address, address + bytes);
    }
  }
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i) CHECK(ranges[i - 1].second <= ranges[i].first);
  for (const auto& range : ranges) CHECK_OK(driver().memory_free(session.instance(), range.first));
}

TEST(memory_of_zero_bytes_is_refused) {
  const Session session;
  uint64_t address = 0;
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT,
              driver().memory_alloc(session.instance(), 0, 0, &address));
}

TEST(memory_null_results_are_refused) {
  const Session session;
  uint64_t bytes = 0;
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT,
              driver().memory_alloc(session.instance(), 0, 64, nullptr));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT,
              driver().memory_info(session.instance(), 0, nullptr, &bytes));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT,
              driver().memory_info(session.instance(), 0, &bytes, nullptr));
}

TEST(memory_freed_is_free_again) {
  const Session session;
  const uint64_t before = session.free_bytes();
  {
    const Memory memory(session, 1 << 20);
    CHECK(session.free_bytes() <= before - (1 << 20));
  }
  CHECK_EQ(session.free_bytes(), before);
}

TEST(memory_never_handed_out_is_not_found) {
  const Session session;
  uint64_t address = 0;
  CHECK_OK(driver().memory_alloc(session.instance(), 0, 4096, &address));
  CHECK_FAILS(SIDRA_STATUS_NOT_FOUND, driver().memory_free(session.instance(), 0));
  CHECK_FAILS(SIDRA_STATUS_NOT_FOUND, driver().memory_free(session.instance(), address + 64));
  CHECK_OK(driver().memory_free(session.instance(), address));
  CHECK_FAILS(SIDRA_STATUS_NOT_FOUND, driver().memory_free(session.instance(), address));
}

TEST(memory_exhausted_is_reported_with_the_figures) {
  const Session session;
  const uint64_t total = session.properties().memory_bytes;
  uint64_t address = 0;
  for (const uint64_t bytes : {total + 1, UINT64_MAX}) {
    const std::string text = CHECK_FAILS(
        SIDRA_STATUS_OUT_OF_MEMORY, driver().memory_alloc(session.instance(), 0, bytes, &address));
    CHECK(text.find(std::to_string(bytes)) != std::string::npos);
    CHECK(text.find(std::to_string(total)) != std::string::npos);
  }
  const uint64_t free = session.free_bytes();
  const Memory memory(session, 1 << 16);
  CHECK_FAILS(SIDRA_STATUS_OUT_OF_MEMORY,
              driver().memory_alloc(session.instance(), 0, free, &address));
  CHECK(session.free_bytes() <= free - (1 << 16));
}

TEST(memory_of_one_device_is_not_the_others) {
  const Session session(2);
  const uint64_t before = session.free_bytes(1);
  const Memory memory(session, 1 << 20, 0);
  CHECK_EQ(session.free_bytes(1), before);
}

TEST(memory_host_pointer_reaches_the_bytes) {
  const Session session;
  SKIP_IF(!session.has(SIDRA_DEVICE_HOST_COHERENT), "the memory is not host-coherent");
  const Stream stream(session);
  const Values<uint32_t> values(session, stream, {1, 2, 3, 4});
  void* pointer = nullptr;
  CHECK_OK(driver().memory_host_pointer(session.instance(), values.address(2), 8, &pointer));
  auto* const host = static_cast<uint32_t*>(pointer);
  CHECK_EQ(host[0], 3u);
  host[1] = 40;
  CHECK_EQ(values.read(stream)[3], 40u);
}

TEST(memory_host_pointer_beyond_the_allocation_is_refused) {
  const Session session;
  SKIP_IF(!session.has(SIDRA_DEVICE_HOST_COHERENT), "the memory is not host-coherent");
  const Memory memory(session, 64);
  void* pointer = nullptr;
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT,
              driver().memory_host_pointer(session.instance(), memory.address(), 65, &pointer));
  CHECK_FAILS(SIDRA_STATUS_NOT_FOUND,
              driver().memory_host_pointer(session.instance(), 64, 1, &pointer));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT,
              driver().memory_host_pointer(session.instance(), memory.address(), 1, nullptr));
}

TEST(memory_host_pointer_needs_coherence) {
  const Session session;
  SKIP_IF(session.has(SIDRA_DEVICE_HOST_COHERENT), "the memory is host-coherent");
  const Memory memory(session, 64);
  void* pointer = nullptr;
  CHECK_FAILS(SIDRA_STATUS_UNSUPPORTED,
              driver().memory_host_pointer(session.instance(), memory.address(), 1, &pointer));
}

}  // namespace
}  // namespace sidra::conformance
