#include "drivers/sim/mapping.h"

#include <cstring>

#include "testing/check.h"

namespace sidra::sim {
namespace {

TEST(mapping_is_zero_and_writable_to_its_last_byte) {
  for (const uint64_t bytes : {1, 4096, 5000, (4 << 20) - 1, 4 << 20, (9 << 20) + 1}) {
    std::byte* const begin = map_pages(bytes);
    CHECK(begin != nullptr);
    CHECK(begin[0] == std::byte{0} && begin[bytes - 1] == std::byte{0});
    std::memset(begin, 1, bytes);
    unmap_pages(begin, bytes);
  }
}

TEST(mapping_of_a_large_range_is_aligned_to_huge_pages) {
  std::byte* const begin = map_pages(64 << 20);
  CHECK_EQ(reinterpret_cast<uintptr_t>(begin) % (2 << 20), uintptr_t{0});
  unmap_pages(begin, 64 << 20);
}

TEST(mapping_beyond_the_address_space_is_null) {
  CHECK(map_pages(uint64_t{1} << 60) == nullptr);
  CHECK(map_inaccessible(uint64_t{1} << 60) == nullptr);
}

}  // namespace
}  // namespace sidra::sim
