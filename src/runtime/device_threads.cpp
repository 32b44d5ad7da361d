#include "runtime/device_threads.h"

#include <atomic>
#include <thread>

namespace sidra::runtime {
namespace {

const std::thread::id loading_thread = std::this_thread::get_id();
std::atomic<bool> started{false};

}  // namespace

void note_device_thread() noexcept {
  if (std::this_thread::get_id() != loading_thread) started.store(true, std::memory_order_relaxed);
}

bool device_threads_started() noexcept { return started.load(std::memory_order_relaxed); }

}  // namespace sidra::runtime
