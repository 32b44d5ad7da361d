// Which host addresses are pinned.
#pragma once

#include <cstddef>

namespace sidra::runtime {

void add_pinned_range(const void* begin, size_t bytes);
void remove_pinned_range(const void* begin);
bool in_pinned_range(const void* pointer);

}  // namespace sidra::runtime
