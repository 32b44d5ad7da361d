// A command on its way to the driver: what it costs is booked, and shown to a running profile.
#pragma once

#include "runtime/ledger.h"
#include "runtime/profiler_record.h"

namespace sidra::runtime {

// Made just before the driver is called, on the device's current stream; booked after.
class Submission {
 public:
  // `device` is an index, or -1 for the current one. `line` lives for ever, as all of them do.
  Submission(LedgerLine* line, c10::DeviceIndex device,
             RecordKind kind = RecordKind::kWork) noexcept
      : line_(line),
        device_(device),
        kind_(kind),
        start_(profiler_recording() ? profiler_clock() : kNotProfiled) {}

  // bytes_moved: between host and chip. copied_bytes: by a host that could not work in place.
  void book(const sidra_cost& cost, uint64_t bytes_moved, uint64_t copied_bytes = 0) const {
    ledger_add(line_, cost, bytes_moved, copied_bytes);
    if (start_ != kNotProfiled) profile(cost, bytes_moved);
  }

 private:
  static constexpr int64_t kNotProfiled = -1;

  void profile(const sidra_cost& cost, uint64_t bytes_moved) const;

  LedgerLine* const line_;
  const c10::DeviceIndex device_;
  const RecordKind kind_;
  const int64_t start_;
};

}  // namespace sidra::runtime
