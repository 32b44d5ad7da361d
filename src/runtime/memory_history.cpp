#include "runtime/memory_history.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>

namespace sidra::runtime {
namespace {

struct History {
  std::mutex mutex;
  MemoryHistorySettings settings;
  std::deque<MemoryEvent> events;
};

// Whether to look at the settings at all.
std::atomic<bool> wants_contexts{false}, wants_events{false};

thread_local int without_contexts = 0;  // scopes that are open

History& history() {
  static History* const instance = new History;  // memory is released after static destructors
  return *instance;
}

int64_t microseconds_since_epoch() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

}  // namespace

void set_memory_history(const MemoryHistorySettings& settings, bool clear) {
  History& all = history();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.settings = settings;
  if (clear) all.events.clear();
  wants_contexts.store(settings.contexts != RecordContext::NEVER, std::memory_order_relaxed);
  wants_events.store(settings.events, std::memory_order_relaxed);
}

MemoryContext capture_memory_context(RecordContext least) {
  if (__builtin_expect(!wants_contexts.load(std::memory_order_relaxed), 1)) return nullptr;
  if (without_contexts > 0) return nullptr;
  MemoryContext (*capture)() = nullptr;
  {
    History& all = history();
    const std::lock_guard<std::mutex> lock(all.mutex);
    if (all.settings.contexts >= least) capture = all.settings.capture;
  }
  return capture ? capture() : nullptr;
}

WithoutMemoryContexts::WithoutMemoryContexts() { ++without_contexts; }
WithoutMemoryContexts::~WithoutMemoryContexts() { --without_contexts; }

void record_memory_event(MemoryEvent::Action action, c10::DeviceIndex device, uint64_t address,
                         size_t bytes, int64_t stream, const MemoryContext& context) {
  if (__builtin_expect(!wants_events.load(std::memory_order_relaxed), 1)) return;
  History& all = history();
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (all.settings.max_events == 0) return;
  while (all.events.size() >= all.settings.max_events) all.events.pop_front();
  const MemoryContext kept = all.settings.contexts >= RecordContext::ALLOC ? context : nullptr;
  all.events.emplace_back(action, device, address, bytes, reinterpret_cast<void*>(stream),
                          c10::MempoolId_t{0, 0}, 0, kept);
  all.events.back().time_.t_ = microseconds_since_epoch();
}

std::vector<MemoryEvent> memory_events() {
  History& all = history();
  const std::lock_guard<std::mutex> lock(all.mutex);
  return {all.events.begin(), all.events.end()};
}

}  // namespace sidra::runtime
