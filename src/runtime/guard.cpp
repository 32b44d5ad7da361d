// PyTorch's door to devices, streams and events. Index -1 is the current device everywhere; what
// runs in destructors (uncheckedSetDevice, destroyEvent, exchangeStream back to a stream that was
// current) never throws.
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "runtime/allocator.h"
#include "runtime/device.h"
#include "runtime/device_threads.h"
#include "runtime/event.h"
#include "runtime/stream.h"

namespace sidra::runtime {
namespace {

using c10::Device;
using c10::DeviceIndex;
using c10::Stream;

Device device_at(DeviceIndex index) { return Device(kDeviceType, index); }
sidra_event* as_event(void* event) { return static_cast<sidra_event*>(event); }

class SidraGuard final : public c10::impl::DeviceGuardImplInterface {
 public:
  c10::DeviceType type() const override { return kDeviceType; }

  Device exchangeDevice(Device device) const override {
    return device_at(exchange_device(device.index()));
  }
  Device getDevice() const override { return device_at(current_device()); }
  void setDevice(Device device) const override {
    set_device(device.index());
    note_device_thread();
  }
  void uncheckedSetDevice(Device device) const noexcept override {
    exchange_device_unchecked(device.index());
  }
  DeviceIndex deviceCount() const noexcept override { return device_count(); }
  void synchronizeDevice(const DeviceIndex device) const override { synchronize_device(device); }
  c10::DeviceCapability getDeviceCapability(Device device) const override;

  Stream getStream(Device device) const override { return current_stream(device.index()); }
  Stream getDefaultStream(Device device) const override { return default_stream(device.index()); }
  Stream getStreamFromGlobalPool(Device device, bool high_priority) const override {
    return stream_from_pool(device.index(), high_priority ? -1 : 0);
  }
  Stream getNewStream(Device device, int priority) const override {
    return stream_from_pool(device.index(), priority);
  }
  Stream exchangeStream(Stream stream) const override { return exchange_stream(stream); }
  void* getStreamNativeHandle(const Stream stream) const override { return stream_handle(stream); }
  bool queryStream(const Stream& stream) const override { return query_stream(stream); }
  void synchronizeStream(const Stream& stream) const override { synchronize_stream(stream); }
  bool isStreamCapturing(const Stream&) const override { return false; }
  void recordDataPtrOnStream(const c10::DataPtr& data, const Stream& stream) const override {
    device_allocator()->recordStream(data, stream);
  }

  // The timing flag is the caller's business: every event of a driver carries chip time.
  void record(void** event, const Stream& stream, const DeviceIndex device,
              const c10::EventFlag) const override {
    sidra_event* handle = as_event(*event);
    record_event(&handle, stream, device);
    *event = handle;
  }
  void block(void* event, const Stream& stream) const override {
    block_stream(stream, as_event(event));
  }
  bool queryEvent(void* event) const override { return query_event(as_event(event)); }
  void synchronizeEvent(void* event) const override { synchronize_event(as_event(event)); }
  void destroyEvent(void* event, const DeviceIndex) const noexcept override {
    destroy_event(as_event(event));
  }
  double elapsedTime(void* start, void* end, const DeviceIndex) const override {
    return elapsed_milliseconds(as_event(start), as_event(end));
  }
};

// Tensors of every type can be made and converted but those of the old quantized and raw-bit types,
// whose operators have no route to this device.
c10::DeviceCapability SidraGuard::getDeviceCapability(Device device) const {
  check_device(device.index());
  c10::DeviceCapability capability;
  auto& types = capability.capability_data.supported_scalar_types;
  types.has_QInt8 = types.has_QUInt8 = types.has_QInt32 = 0;
  types.has_QUInt4x2 = types.has_QUInt2x4 = 0;
  types.has_Bits1x8 = types.has_Bits2x4 = types.has_Bits4x2 = 0;
  types.has_Bits8 = types.has_Bits16 = 0;
  return capability;
}

C10_REGISTER_GUARD_IMPL(PrivateUse1, SidraGuard)

}  // namespace
}  // namespace sidra::runtime
