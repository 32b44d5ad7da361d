// Events: marks in streams that other streams wait for and that carry chip time.
//
// A null event was never recorded: it is over, and waiting for it is nothing.
#pragma once

#include <c10/core/Stream.h>

#include "sidra/driver.h"

namespace sidra::runtime {

// Creates *event on the stream's device when it is null. `device` is that of the event, -1 before
// it has one; recording on another raises.
void record_event(sidra_event** event, c10::Stream stream, c10::DeviceIndex device);
void block_stream(c10::Stream stream, sidra_event* event);
bool query_event(sidra_event* event);
void synchronize_event(sidra_event* event);
void destroy_event(sidra_event* event) noexcept;
// Chip time from start to end in milliseconds, the unit of every torch.Event.
double elapsed_milliseconds(sidra_event* start, sidra_event* end);

}  // namespace sidra::runtime
