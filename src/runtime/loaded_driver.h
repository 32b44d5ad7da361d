// What other parts may ask of the driver without opening it.
#pragma once

#include <atomic>
#include <string>

#include "runtime/driver_loader.h"

namespace sidra::runtime {

inline std::atomic<const Driver*> opened_driver{nullptr};  // written by the loader alone

// The open driver, or null. A plain read: it is on the path of every operator.
inline const Driver* open_driver() noexcept {
  return opened_driver.load(std::memory_order_acquire);
}

// The driver's text of this thread's last failure; "" without a driver.
std::string driver_last_error();

// Drops the open driver without closing it, so that the next use opens another instance: a child
// process must not speak through its parent's.
void forget_driver() noexcept;

// Held over fork(), so that a child never inherits the loader's lock closed.
void lock_driver_loader();
void unlock_driver_loader() noexcept;

// Whether static destructors are running: the driver's may be gone, so it is not called again.
bool process_is_exiting() noexcept;

}  // namespace sidra::runtime
