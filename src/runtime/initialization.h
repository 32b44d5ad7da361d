// Whether this process uses the device, and whether it may.
#pragma once

namespace sidra::runtime {

// In a child forked from a process that used the device: from here on initialize() raises.
void enter_bad_fork() noexcept;

}  // namespace sidra::runtime
