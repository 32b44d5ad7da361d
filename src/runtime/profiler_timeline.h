// Chip time laid out on the profiler's axis, which is Unix time in nanoseconds.
//
// The chip's clock runs apart from the host's, and stands still while nothing is submitted. So:
//   - a command starts no earlier than the host handed it over, not before the previous one of its
//     stream has ended, and not before the events that its stream waits for;
//   - its duration is its chip time. What rounding to a whole nanosecond takes or adds is made good
//     by the next command of the stream, so that sums over a stream are exact to a nanosecond.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

#include "runtime/profiler_record.h"

namespace sidra::runtime {

struct ChipInterval {
  int64_t start, end;  // nanoseconds
};

class ProfilerTimeline {
 public:
  ChipInterval place_command(const ProfilerRecord& record);
  void place_event(const ProfilerRecord& record);
  void place_wait(const ProfilerRecord& record);

 private:
  struct Track {
    int64_t end = 0;  // of the last command, or what it has to wait for
    double owed = 0;  // nanoseconds that rounding has kept back, at most half of one
  };

  Track& track_of(const ProfilerRecord& record) { return tracks_[{record.device, record.stream}]; }

  std::map<std::pair<c10::DeviceIndex, c10::StreamId>, Track> tracks_;
  std::unordered_map<const sidra_event*, int64_t> event_ends_;
};

}  // namespace sidra::runtime
