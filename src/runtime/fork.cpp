#include "runtime/fork.h"

#include <pthread.h>

#include "runtime/device.h"
#include "runtime/initialization.h"
#include "runtime/loaded_driver.h"
#include "runtime/stream_state.h"

namespace sidra::runtime {
namespace {

// A parent that only asked what there is (device_count, is_available) leaves a child that may
// start afresh; one that used the device leaves a child that is refused.
void in_child() {
  if (is_initialized()) enter_bad_fork();
  forget_streams();
  if (!is_in_bad_fork()) forget_driver();
  unlock_driver_loader();
}

}  // namespace

void watch_forks() {
  static const int installed =
      pthread_atfork(lock_driver_loader, [] { unlock_driver_loader(); }, in_child);
  (void)installed;
}

}  // namespace sidra::runtime
