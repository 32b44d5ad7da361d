#include "runtime/submission.h"

#include "runtime/device.h"
#include "runtime/stream_state.h"

namespace sidra::runtime {

void Submission::profile(const sidra_cost& cost, uint64_t bytes_moved) const {
  ProfilerRecord record{};
  record.kind = kind_;
  record.device = check_device(device_);
  record.stream = current_stream_id(record.device);
  record.line = line_;
  record.cost = cost;
  record.bytes_moved = bytes_moved;
  record.host_start_nanoseconds = start_;
  record.host_end_nanoseconds = profiler_clock();
  profiler_add_command(std::move(record));
}

}  // namespace sidra::runtime
