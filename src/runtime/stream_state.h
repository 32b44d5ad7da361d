// What other parts of the run time must know of streams beyond stream.h.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Stream.h>

namespace sidra::runtime {

// Ids of a device's streams: 0 is the default one; then a pool for each priority.
inline constexpr int kStreamsPerPool = 32;
inline constexpr int kPriorities = 2;  // 0 and -1; lower is sooner
inline constexpr int kStreamsPerDevice = 1 + kPriorities * kStreamsPerPool;

// The priority that `stream` was taken with, 0 or -1.
int stream_priority(c10::Stream stream);

// The id of this thread's current stream of `device`, an index known to be valid.
c10::StreamId current_stream_id(c10::DeviceIndex device) noexcept;

// Forgets every stream. For the single thread of a forked child.
void forget_streams() noexcept;

}  // namespace sidra::runtime
