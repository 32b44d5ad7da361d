#include "drivers/sim/mapping.h"

#include <sys/mman.h>

namespace sidra::sim {
namespace {

constexpr uint64_t kPageBytes = 4096;
constexpr uint64_t kHugePageBytes = 2 << 20;
constexpr uint64_t kHugeFrom = 2 * kHugePageBytes;  // below, rounding up would waste too much

uint64_t rounded(uint64_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes; }

std::byte* map(uint64_t bytes, int protection) {
  void* const begin =
      mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return begin == MAP_FAILED ? nullptr : static_cast<std::byte*>(begin);
}

// Maps more than asked and gives back what lies outside the aligned part.
std::byte* map_huge(uint64_t bytes) {
  std::byte* const begin = map(bytes + kHugePageBytes, PROT_READ | PROT_WRITE);
  if (begin == nullptr) return nullptr;
  const uint64_t before = -reinterpret_cast<uintptr_t>(begin) % kHugePageBytes;
  if (before > 0) munmap(begin, before);
  if (before < kHugePageBytes) munmap(begin + before + bytes, kHugePageBytes - before);
#ifdef MADV_HUGEPAGE
  madvise(begin + before, bytes, MADV_HUGEPAGE);  // advice: a kernel without it changes nothing
#endif
  return begin + before;
}

}  // namespace

std::byte* map_pages(uint64_t bytes) {
  return bytes >= kHugeFrom ? map_huge(rounded(bytes))
                            : map(rounded(bytes), PROT_READ | PROT_WRITE);
}

std::byte* map_inaccessible(uint64_t bytes) { return map(rounded(bytes), PROT_NONE); }

void unmap_pages(std::byte* begin, uint64_t bytes) { munmap(begin, rounded(bytes)); }

}  // namespace sidra::sim
