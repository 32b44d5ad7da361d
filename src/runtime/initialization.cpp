#include "runtime/initialization.h"

#include <atomic>

#include "runtime/device.h"
#include "runtime/driver_loader.h"
#include "runtime/error.h"

namespace sidra::runtime {
namespace {

std::atomic<bool> initialized{false};
std::atomic<bool> bad_fork{false};

}  // namespace

void initialize() {
  if (is_initialized()) return;
  if (is_in_bad_fork()) {
    raise(ErrorKind::kRuntime,
          "Cannot re-initialize sidra in forked subprocess. To use sidra with multiprocessing, you "
          "must use the 'spawn' start method");
  }
  driver();
  initialized.store(true, std::memory_order_release);
}

bool is_initialized() noexcept { return initialized.load(std::memory_order_relaxed); }
bool is_in_bad_fork() noexcept { return bad_fork.load(std::memory_order_relaxed); }

void enter_bad_fork() noexcept {
  bad_fork.store(true, std::memory_order_relaxed);
  initialized.store(false, std::memory_order_relaxed);
}

}  // namespace sidra::runtime
