#include "runtime/event.h"

#include <string>

#include "runtime/device.h"
#include "runtime/driver_loader.h"
#include "runtime/error.h"
#include "runtime/loaded_driver.h"
#include "runtime/profiler_record.h"
#include "runtime/stream.h"

namespace sidra::runtime {
namespace {

constexpr double kMillisecondsPerSecond = 1e3;

}  // namespace

void record_event(sidra_event** event, c10::Stream stream, c10::DeviceIndex device) {
  if (device != -1 && device != stream.device_index()) {
    raise(ErrorKind::kRuntime, "Event device index " + std::to_string(device) +
                                   " does not match recording stream's device index " +
                                   std::to_string(stream.device_index()) +
                                   "; record it on a stream of its own device");
  }
  sidra_stream* handle = stream_handle(stream);
  const Driver& open = driver();
  if (!*event) {
    SIDRA_CHECK(open.table->event_create(open.instance, check_device(stream.device_index()), event),
                "sidra event: create");
  }
  SIDRA_CHECK(open.table->event_record(*event, handle), "sidra event: record");
  if (profiler_recording()) profiler_add_event(RecordKind::kEvent, stream, *event);
}

void block_stream(c10::Stream stream, sidra_event* event) {
  if (!event) return;
  SIDRA_CHECK(driver().table->stream_wait_event(stream_handle(stream), event),
              "sidra event: make a stream wait");
  if (profiler_recording()) profiler_add_event(RecordKind::kWait, stream, event);
}

bool query_event(sidra_event* event) {
  if (!event) return true;
  const sidra_status status = driver().table->event_query(event);
  if (status == SIDRA_STATUS_NOT_READY) return false;
  SIDRA_CHECK(status, "sidra event: query");
  return true;
}

void synchronize_event(sidra_event* event) {
  if (!event) return;
  SIDRA_CHECK(driver().table->event_synchronize(event), "sidra event: synchronize");
}

void destroy_event(sidra_event* event) noexcept {
  if (!event || process_is_exiting() || is_in_bad_fork()) return;
  SIDRA_WARN(open_driver()->table->event_destroy(event), "sidra event: destroy");
}

double elapsed_milliseconds(sidra_event* start, sidra_event* end) {
  if (!start || !end) {
    raise(ErrorKind::kValue, "Both events must be recorded before calculating elapsed time.");
  }
  double seconds = 0;
  const sidra_status status = driver().table->event_elapsed(start, end, &seconds);
  if (status == SIDRA_STATUS_NOT_READY) {
    raise(ErrorKind::kRuntime, "Both events must be completed before calculating elapsed time.");
  }
  SIDRA_CHECK(status, "sidra event: elapsed time");
  return seconds * kMillisecondsPerSecond;
}

}  // namespace sidra::runtime
