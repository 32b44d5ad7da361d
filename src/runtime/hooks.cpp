// What PyTorch asks of the device outside of operators.
#include <ATen/detail/PrivateUse1HooksInterface.h>

#include <algorithm>
#include <string>

#include "runtime/address_map.h"
#include "runtime/allocator.h"
#include "runtime/device.h"
#include "runtime/driver_loader.h"
#include "runtime/error.h"
#include "runtime/generator.h"
#include "runtime/host_allocator.h"
#include "runtime/transfer.h"

namespace sidra::runtime {
namespace {

class SidraHooks final : public at::PrivateUse1HooksInterface {
 public:
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return driver_available(); }
  bool hasPrimaryContext(c10::DeviceIndex device) const override {
    return is_initialized() && device >= -1 && device < runtime::device_count();
  }
  void init() const override { initialize(); }

  c10::DeviceIndex deviceCount() const override { return runtime::device_count(); }
  c10::DeviceIndex getCurrentDevice() const override { return current_device(); }
  void setCurrentDevice(c10::DeviceIndex device) const override { set_device(device); }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex device) const override {
    return exchange_device(device);
  }
  // A device has no context whose making one would want to avoid; -1 leaves the current one.
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex device) const override {
    return device < 0 ? current_device() : exchange_device(device);
  }

  const at::Generator& getDefaultGenerator(c10::DeviceIndex device) const override {
    return default_generator(device);
  }
  at::Generator getNewGenerator(c10::DeviceIndex device) const override {
    return new_generator(device);
  }

  bool isPinnedPtr(const void* pointer) const override { return is_pinned(pointer); }
  c10::Allocator* getPinnedMemoryAllocator() const override { return host_allocator(); }
  c10::Device getDeviceFromPtr(void* pointer) const override;
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override;
};

c10::Device SidraHooks::getDeviceFromPtr(void* pointer) const {
  const auto device = device_of_address(reinterpret_cast<uint64_t>(pointer));
  if (!device) raise(ErrorKind::kValue, "The pointer is not memory of a sidra device");
  return c10::Device(kDeviceType, *device);
}

// What is known of the bytes goes with them.
void inherit(Block* block, const Block* old) {
  if (!old) return;
  block->writes.store(old->writes.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  block->computed.store(old->computed.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void SidraHooks::resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const {
  c10::StorageImpl& impl = *storage.unsafeGetStorageImpl();
  const c10::DeviceIndex device = check_device(storage.device().index());
  Block* block = allocate_block(device, bytes);
  c10::DataPtr data = block_data_ptr(block, c10::Device(kDeviceType, device));
  inherit(block, block_of(impl));
  const size_t kept = std::min(bytes, impl.nbytes());
  if (kept) copy_on_device(device, block->address, reinterpret_cast<uint64_t>(impl.data()), kept);
  impl.set_data_ptr_noswap(std::move(data));
  impl.set_nbytes(bytes);
}

[[maybe_unused]] const bool registered = [] {
  at::RegisterPrivateUse1HooksInterface(new SidraHooks);  // PyTorch keeps it
  return true;
}();

}  // namespace
}  // namespace sidra::runtime
