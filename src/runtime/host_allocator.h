// Pinned host memory: page-aligned and cached. The driver ABI needs no registration of it; that it
// is pinned means that a copy may read or write it after the call that asked for the copy returned.
#pragma once

#include <ATen/core/CachingHostAllocator.h>

namespace sidra::runtime {

at::HostAllocator* host_allocator();

// Whether `pointer` lies in pinned memory. Asked for every tensor that may be pinned: without any
// pinned memory, or outside its span, this is two reads.
bool is_pinned(const void* pointer);

}  // namespace sidra::runtime
