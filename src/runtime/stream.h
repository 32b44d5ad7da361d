// Streams: torch's packed stream ids on one side, the driver's handles on the other.
#pragma once

#include <c10/core/Stream.h>

#include "sidra/driver.h"

namespace sidra::runtime {

c10::Stream default_stream(c10::DeviceIndex device);
c10::Stream current_stream(c10::DeviceIndex device);  // of this thread; -1: current device
c10::Stream exchange_stream(c10::Stream stream);      // makes it current for its device
c10::Stream stream_from_pool(c10::DeviceIndex device, int priority);  // round robin, distinct ids

sidra_stream* stream_handle(c10::Stream stream);
sidra_stream* current_stream_handle(c10::DeviceIndex device);  // on the path of every operator

bool query_stream(c10::Stream stream);
void synchronize_stream(c10::Stream stream);
double stream_chip_seconds(c10::Stream stream);

// Before the host touches device memory: waits until the current stream has passed its commands.
// Free of charge on drivers that complete at submission.
void wait_for_current_stream(c10::DeviceIndex device);

}  // namespace sidra::runtime
