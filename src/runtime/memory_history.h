// What the allocators did and on whose behalf, kept while somebody asked for it. While nobody does,
// an allocation pays one atomic read for it.
#pragma once

#include <c10/core/CachingDeviceAllocator.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace sidra::runtime {

using MemoryContext = std::shared_ptr<c10::GatheredContext>;
using MemoryEvent = c10::CachingDeviceAllocator::TraceEntry;  // stream_ holds the stream's id
using c10::CachingDeviceAllocator::RecordContext;

struct MemoryHistorySettings {
  RecordContext contexts = RecordContext::NEVER;  // of which actions the stack is kept
  bool events = false;                            // whether actions are kept, not only contexts
  size_t max_events = 0;                          // older ones are forgotten
  MemoryContext (*capture)() = nullptr;           // gives the stack of this thread
};

// `clear` forgets the events so far.
void set_memory_history(const MemoryHistorySettings& settings, bool clear);

// The stack of this thread, null unless contexts of `least` are kept. It may wait for the
// interpreter's lock, so no lock of ours may be held.
MemoryContext capture_memory_context(RecordContext least);

// While it lives, this thread keeps no stacks: it holds a lock that a thread with the interpreter's
// lock may be waiting for.
class WithoutMemoryContexts {
 public:
  WithoutMemoryContexts();
  ~WithoutMemoryContexts();
  WithoutMemoryContexts(const WithoutMemoryContexts&) = delete;
  WithoutMemoryContexts& operator=(const WithoutMemoryContexts&) = delete;
};

// `address` of an OOM is the device's free bytes. `time_` is microseconds since the epoch.
void record_memory_event(MemoryEvent::Action action, c10::DeviceIndex device, uint64_t address,
                         size_t bytes, int64_t stream, const MemoryContext& context);

// The events of all devices, oldest first.
std::vector<MemoryEvent> memory_events();

}  // namespace sidra::runtime
