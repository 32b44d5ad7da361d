#include "runtime/stream.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>

#include "runtime/device.h"
#include "runtime/driver_loader.h"
#include "runtime/error.h"
#include "runtime/stream_state.h"

namespace sidra::runtime {
namespace {

// Written under `creation`, read without it.
std::atomic<sidra_stream*> handles[kMaxDevices][kStreamsPerDevice];
std::atomic<uint32_t> taken[kMaxDevices][kPriorities];
std::mutex creation;

// Of one thread. A null handle is one that was not asked for yet; `id` says which.
struct CurrentStreams {
  sidra_stream* handle[kMaxDevices];
  uint8_t id[kMaxDevices];
};
constinit thread_local CurrentStreams current{};

c10::Stream make_stream(c10::DeviceIndex device, c10::StreamId id) {
  return c10::Stream(c10::Stream::UNSAFE, c10::Device(kDeviceType, device), id);
}

int priority_of(c10::StreamId id) {
  return id == 0 ? 0 : -static_cast<int>((id - 1) / kStreamsPerPool);
}

std::string name_of(c10::DeviceIndex device, c10::StreamId id) {
  return "sidra:" + std::to_string(device) + " stream " + std::to_string(id);
}

void check_stream(const c10::Stream& stream) {
  if (stream.device_type() == kDeviceType && stream.id() >= 0 && stream.id() < kStreamsPerDevice) {
    return;
  }
  raise(ErrorKind::kValue, "stream " + std::to_string(stream.id()) + " of " +
                               stream.device().str() + " is not a stream of sidra; ids are 0 to " +
                               std::to_string(kStreamsPerDevice - 1));
}

sidra_stream* create_handle(c10::DeviceIndex device, c10::StreamId id) {
  initialize();
  const std::lock_guard<std::mutex> lock(creation);
  sidra_stream* handle = handles[device][id].load(std::memory_order_relaxed);
  if (handle) return handle;
  const Driver& open = driver();
  SIDRA_CHECK(open.table->stream_create(open.instance, device, priority_of(id), &handle),
              name_of(device, id) + ": create");
  handles[device][id].store(handle, std::memory_order_release);
  return handle;
}

sidra_stream* handle_of(c10::DeviceIndex device, c10::StreamId id) {
  sidra_stream* handle = handles[device][id].load(std::memory_order_acquire);
  return handle ? handle : create_handle(device, id);
}

}  // namespace

c10::Stream default_stream(c10::DeviceIndex device) { return make_stream(check_device(device), 0); }

c10::Stream current_stream(c10::DeviceIndex device) {
  device = check_device(device);
  return make_stream(device, current.id[device]);
}

c10::StreamId current_stream_id(c10::DeviceIndex device) noexcept { return current.id[device]; }

c10::Stream exchange_stream(c10::Stream stream) {
  check_stream(stream);
  const c10::DeviceIndex device = check_device(stream.device_index());
  const c10::StreamId previous = current.id[device];
  current.id[device] = static_cast<uint8_t>(stream.id());
  current.handle[device] = nullptr;
  return make_stream(device, previous);
}

c10::Stream stream_from_pool(c10::DeviceIndex device, int priority) {
  device = check_device(device);
  const int level = std::clamp(-priority, 0, kPriorities - 1);
  const uint32_t turn = taken[device][level].fetch_add(1, std::memory_order_relaxed);
  return make_stream(device, 1 + level * kStreamsPerPool + turn % kStreamsPerPool);
}

int stream_priority(c10::Stream stream) {
  check_stream(stream);
  return priority_of(stream.id());
}

sidra_stream* stream_handle(c10::Stream stream) {
  check_stream(stream);
  return handle_of(check_device(stream.device_index()), stream.id());
}

sidra_stream* current_stream_handle(c10::DeviceIndex device) {
  device = check_device(device);
  sidra_stream*& handle = current.handle[device];
  if (!handle) handle = handle_of(device, current.id[device]);
  return handle;
}

bool query_stream(c10::Stream stream) {
  const sidra_status status = driver().table->stream_query(stream_handle(stream));
  if (status == SIDRA_STATUS_NOT_READY) return false;
  SIDRA_CHECK(status, name_of(stream.device_index(), stream.id()) + ": query");
  return true;
}

void synchronize_stream(c10::Stream stream) {
  SIDRA_CHECK(driver().table->stream_synchronize(stream_handle(stream)),
              name_of(stream.device_index(), stream.id()) + ": synchronize");
}

double stream_chip_seconds(c10::Stream stream) {
  double seconds = 0;
  SIDRA_CHECK(driver().table->stream_clock(stream_handle(stream), &seconds),
              name_of(stream.device_index(), stream.id()) + ": read the clock");
  return seconds;
}

void wait_for_current_stream(c10::DeviceIndex device) {
  if (driver().completes_at_submission) return;
  SIDRA_CHECK(driver().table->stream_synchronize(current_stream_handle(device)),
              name_of(check_device(device), current_stream_id(check_device(device))) + ": wait");
}

void forget_streams() noexcept {
  current = {};
  if (is_in_bad_fork()) return;
  for (auto& device : handles) {
    for (auto& handle : device) handle.store(nullptr, std::memory_order_relaxed);
  }
}

}  // namespace sidra::runtime
