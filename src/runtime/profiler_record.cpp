#include "runtime/profiler_record.h"

#include <c10/util/ApproximateClock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <mutex>
#include <utility>

namespace sidra::runtime {

std::atomic<bool> profiler_is_recording{false};

namespace {

struct Recorder {
  std::mutex mutex;
  bool recording = false;
  std::vector<ProfilerRecord> records;
};

Recorder& recorder() {
  static Recorder* const instance = new Recorder;  // threads may record until the process ends
  return *instance;
}

std::atomic<uint64_t> profiles{0};  // started so far

// Correlation ids of what this thread is inside of. They mean something within one profile only: a
// profile may begin or end inside an operator, whose push or pop is then never seen.
struct Enclosing {
  uint64_t profile = 0;
  std::vector<uint64_t> operators, ranges;

  static Enclosing& of_this_thread() {
    thread_local Enclosing enclosing;
    const uint64_t running = profiles.load(std::memory_order_relaxed);
    if (enclosing.profile != running) {
      enclosing.operators.clear();
      enclosing.ranges.clear();
      enclosing.profile = running;
    }
    return enclosing;
  }
};

// Kineto names a thread's track by the system's id.
int32_t thread_id() noexcept {
  thread_local const auto id = static_cast<int32_t>(syscall(SYS_gettid));
  return id;
}

void add(ProfilerRecord&& record) {
  Recorder& all = recorder();
  const std::lock_guard lock(all.mutex);
  if (all.recording) all.records.push_back(std::move(record));
}

}  // namespace

int64_t profiler_clock() noexcept { return c10::getTime(); }

void profiler_add_command(ProfilerRecord record) {
  const Enclosing& enclosing = Enclosing::of_this_thread();
  record.host_thread = thread_id();
  record.correlation = enclosing.operators.empty() ? 0 : enclosing.operators.back();
  record.annotations = enclosing.ranges;
  add(std::move(record));
}

void profiler_add_event(RecordKind kind, c10::Stream stream, const sidra_event* event) {
  ProfilerRecord record{};
  record.kind = kind;
  record.device = stream.device_index();
  record.stream = stream.id();
  record.event = event;
  add(std::move(record));
}

uint64_t profiler_start_recording() {
  Recorder& all = recorder();
  const std::lock_guard lock(all.mutex);
  all.records.clear();
  all.recording = true;
  profiler_is_recording.store(true, std::memory_order_relaxed);
  return profiles.fetch_add(1, std::memory_order_relaxed) + 1;
}

std::vector<ProfilerRecord> profiler_stop_recording(uint64_t profile) {
  Recorder& all = recorder();
  const std::lock_guard lock(all.mutex);
  if (profile != profiles.load(std::memory_order_relaxed)) return {};
  profiler_is_recording.store(false, std::memory_order_relaxed);
  all.recording = false;
  return std::exchange(all.records, {});
}

void profiler_push_operator(uint64_t correlation) {
  Enclosing::of_this_thread().operators.push_back(correlation);
}

void profiler_pop_operator() noexcept {
  auto& operators = Enclosing::of_this_thread().operators;
  if (!operators.empty()) operators.pop_back();
}

void profiler_push_range(uint64_t correlation) {
  Enclosing::of_this_thread().ranges.push_back(correlation);
}

void profiler_pop_range() noexcept {
  auto& ranges = Enclosing::of_this_thread().ranges;
  if (!ranges.empty()) ranges.pop_back();
}

}  // namespace sidra::runtime
