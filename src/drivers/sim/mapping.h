// Pages from the operating system.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sidra::sim {

// Zeroed private pages, unbacked until touched; null when there are none. Large mappings are
// aligned to huge pages and ask for them.
std::byte* map_pages(uint64_t bytes);
// Addresses only: any access faults. Null when there are none.
std::byte* map_inaccessible(uint64_t bytes);
void unmap_pages(std::byte* begin, uint64_t bytes);

}  // namespace sidra::sim
