// Whether PyTorch has started autograd threads for the devices.
#pragma once

namespace sidra::runtime {

// Told of each thread that makes a device current through the guard, as autograd's threads do when
// they start.
void note_device_thread() noexcept;
// Whether any did but the one that loaded this library.
bool device_threads_started() noexcept;

}  // namespace sidra::runtime
