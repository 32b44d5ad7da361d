#include "runtime/profiler_timeline.h"

#include <algorithm>
#include <cmath>

namespace sidra::runtime {
namespace {

constexpr double kNanosecondsPerSecond = 1e9;

}  // namespace

ChipInterval ProfilerTimeline::place_command(const ProfilerRecord& record) {
  Track& track = track_of(record);
  const double exact = record.cost.chip_seconds * kNanosecondsPerSecond + track.owed;
  const double whole = std::floor(exact + 0.5);
  track.owed = exact - whole;
  const int64_t start = std::max(track.end, record.host_start_nanoseconds);
  track.end = start + static_cast<int64_t>(whole);
  return {start, track.end};
}

void ProfilerTimeline::place_event(const ProfilerRecord& record) {
  event_ends_[record.event] = track_of(record).end;
}

void ProfilerTimeline::place_wait(const ProfilerRecord& record) {
  const auto found = event_ends_.find(record.event);  // absent: recorded before the profile
  if (found == event_ends_.end()) return;
  Track& track = track_of(record);
  track.end = std::max(track.end, found->second);
}

}  // namespace sidra::runtime
