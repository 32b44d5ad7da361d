// What a profile consists of, and the switch that says whether one runs.
//
// Records are taken where commands are booked (runtime/submission.h) and where events order streams
// (runtime/event.cpp). Without a profile each such place costs one relaxed load.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Stream.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "runtime/ledger.h"
#include "sidra/driver.h"

namespace sidra::runtime {

enum class RecordKind : uint8_t {
  kWork,   // a command that computes or programs
  kCopy,   // a command that moves bytes
  kEvent,  // an event recorded in the stream
  kWait    // the stream made to wait for an event
};

struct ProfilerRecord {
  RecordKind kind;
  c10::DeviceIndex device;
  c10::StreamId stream;
  // Of commands only.
  const LedgerLine* line = nullptr;
  sidra_cost cost{};
  uint64_t bytes_moved = 0;        // between host and chip
  int64_t host_start_nanoseconds;  // Unix time: when it was handed to the driver
  int64_t host_end_nanoseconds;    // and when the driver had taken it
  int32_t host_thread = 0;
  uint64_t correlation = 0;           // of the innermost operator; 0: none
  std::vector<uint64_t> annotations;  // correlation ids of the ranges around it, outermost first
  // Of the other two.
  const sidra_event* event = nullptr;
};

extern std::atomic<bool> profiler_is_recording;

inline bool profiler_recording() noexcept {
  return profiler_is_recording.load(std::memory_order_relaxed);
}

int64_t profiler_clock() noexcept;  // nanoseconds, the profiler's Unix time

// Add to the running profile; without one, nothing. `record`'s correlation, ranges and thread are
// filled in here.
void profiler_add_command(ProfilerRecord record);
void profiler_add_event(RecordKind kind, c10::Stream stream, const sidra_event* event);

// One profile at a time: starting another drops what the first recorded, and stopping the first is
// nothing then. Returns what stopping asks for.
uint64_t profiler_start_recording();
std::vector<ProfilerRecord> profiler_stop_recording(uint64_t profile);

// What encloses the commands of this thread: operators, and ranges that the user named.
void profiler_push_operator(uint64_t correlation);
void profiler_pop_operator() noexcept;
void profiler_push_range(uint64_t correlation);
void profiler_pop_range() noexcept;

}  // namespace sidra::runtime
