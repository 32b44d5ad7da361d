#include "runtime/host_allocator.h"

#include <c10/util/Exception.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/device.h"
#include "runtime/event.h"
#include "runtime/loaded_driver.h"
#include "runtime/pinned_ranges.h"
#include "runtime/stream.h"

namespace sidra::runtime {
namespace {

constexpr size_t kPageBytes = 4096;

struct EventDeleter {
  void operator()(sidra_event* event) const noexcept { destroy_event(event); }
};
using OwnedEvent = std::unique_ptr<sidra_event, EventDeleter>;
using HostBlock = at::HostBlock<c10::Stream>;

// PyTorch's cache of host blocks, told how to get memory and how to mark streams.
class HostCache final : public at::CachingHostAllocatorImpl<c10::Stream, OwnedEvent, HostBlock> {
  void allocate_host_memory(size_t bytes, void** pointer) override {
    const size_t rounded = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
    *pointer = std::aligned_alloc(kPageBytes, rounded);
    TORCH_CHECK_WITH(OutOfMemoryError, *pointer, "sidra: no ",
                     c10::CachingAllocator::format_size(bytes), " of pinned host memory left");
    add_pinned_range(*pointer, rounded);
  }

  void free_block(HostBlock* block) override {
    remove_pinned_range(block->ptr_);
    std::free(block->ptr_);
  }

  void record_stream(std::optional<std::vector<OwnedEvent>>& events, c10::Stream stream) override {
    sidra_event* event = nullptr;
    runtime::record_event(&event, stream, stream.device_index());
    events->push_back(OwnedEvent(event));
  }

  bool query_event(OwnedEvent& event) override { return runtime::query_event(event.get()); }
  c10::Stream get_current_stream() const override { return current_stream(-1); }
  bool stream_is_capturing(c10::Stream) const override { return false; }
};

void free_pinned(void* context);

class SidraHostAllocator final : public at::CachingHostAllocatorInterface<HostCache, free_pinned> {
};

SidraHostAllocator& instance() {
  static SidraHostAllocator* const allocator = new SidraHostAllocator;  // outlives every tensor
  return *allocator;
}

void free_pinned(void* context) {
  if (!process_is_exiting() && !is_in_bad_fork()) instance().free(context);
}

[[maybe_unused]] const bool registered = [] {
  at::setHostAllocator(kDeviceType, host_allocator());
  return true;
}();

}  // namespace

at::HostAllocator* host_allocator() { return &instance(); }

bool is_pinned(const void* pointer) { return in_pinned_range(pointer); }

}  // namespace sidra::runtime
