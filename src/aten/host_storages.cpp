#include "aten/host_storages.h"

#include <c10/core/CPUAllocator.h>

#include "aten/result_allocator.h"
#include "runtime/allocator.h"
#include "runtime/transfer.h"

namespace sidra::aten {
namespace {

uint64_t address_of(const c10::Storage& storage) {
  return reinterpret_cast<uint64_t>(storage.unsafeGetStorageImpl()->data());
}

void release_storage(void* storage) {
  c10::raw::intrusive_ptr::decref(static_cast<c10::StorageImpl*>(storage));
}

// The same bytes as a CPU storage, which keeps the device's alive. Grown by the CPU's allocator:
// inside a ResultScope that is device memory.
c10::Storage same_bytes(const c10::Storage& device) {
  c10::StorageImpl* const impl = device.unsafeGetStorageImpl();
  c10::raw::intrusive_ptr::incref(impl);
  c10::DataPtr bytes(const_cast<void*>(impl->data()), impl, release_storage,
                     c10::Device(c10::DeviceType::CPU));
  return c10::Storage(c10::Storage::use_byte_size_t(), impl->nbytes(), std::move(bytes),
                      c10::GetCPUAllocator(), impl->resizable());
}

c10::Storage copied_bytes(const c10::Storage& device) {
  const size_t bytes = device.nbytes();
  c10::Storage host(c10::Storage::use_byte_size_t(), bytes, c10::GetCPUAllocator(), true);
  runtime::copy_to_host(device.device().index(), host.mutable_data(), address_of(device), bytes);
  return host;
}

// The kernel replaced the alias's memory by larger one, which lies on the device already.
void take_grown_memory(const c10::Storage& device, const c10::Storage& host) {
  c10::StorageImpl& target = *device.unsafeGetStorageImpl();
  c10::StorageImpl& source = *host.unsafeGetStorageImpl();
  if (source.data() == target.data() && source.nbytes() == target.nbytes()) return;
  c10::DataPtr memory = std::move(source.mutable_data_ptr());
  TORCH_INTERNAL_ASSERT(claim_result(memory, target.device()) || memory.get() == nullptr);
  memory.unsafe_set_device(target.device());
  target.set_data_ptr_noswap(std::move(memory));
  target.set_nbytes(source.nbytes());
}

void copy_back(const c10::Storage& device, const c10::Storage& host) {
  c10::StorageImpl& target = *device.unsafeGetStorageImpl();
  if (host.nbytes() > target.nbytes()) {
    target.set_data_ptr_noswap(runtime::device_allocator()->allocate(host.nbytes()));
    target.set_nbytes(host.nbytes());
  }
  runtime::copy_to_device(device.device().index(), address_of(device), host.data(), host.nbytes());
}

bool same_geometry(const c10::TensorImpl& left, const c10::TensorImpl& right) {
  return left.sizes() == right.sizes() && left.strides() == right.strides() &&
         left.storage_offset() == right.storage_offset();
}

}  // namespace

at::Tensor over_storage(const c10::Storage& storage, const at::Tensor& geometry) {
  const c10::TensorImpl& impl = *geometry.unsafeGetTensorImpl();
  auto tensor = impl.shallow_copy_and_detach(impl.version_counter(),
                                             /*allow_tensor_metadata_change=*/true);
  tensor->set_storage_keep_dtype(storage);
  tensor->_change_backend_component_keys(storage.device());
  return at::Tensor(std::move(tensor));
}

const c10::Storage& HostStorages::host_side(const c10::Storage& device) {
  for (const Pair& pair : pairs_) {
    if (pair.device.unsafeGetStorageImpl() == device.unsafeGetStorageImpl()) return pair.host;
  }
  if (!in_place_) bytes_copied_ += device.nbytes();
  pairs_.push_back({device, in_place_ ? same_bytes(device) : copied_bytes(device)});
  return pairs_.back().host;
}

at::Tensor HostStorages::open(const at::Tensor& tensor) {
  return over_storage(host_side(tensor.storage()), tensor);
}

at::Tensor HostStorages::view_of_operand(const at::Tensor& result) const {
  for (const Pair& pair : pairs_) {
    if (pair.host.unsafeGetStorageImpl() == result.storage().unsafeGetStorageImpl()) {
      return over_storage(pair.device, result);
    }
  }
  return {};
}

void HostStorages::write_back(const at::Tensor& tensor, const at::Tensor& alias) {
  const c10::Storage& host = host_side(tensor.storage());
  if (in_place_) {
    take_grown_memory(tensor.storage(), host);
  } else {
    copy_back(tensor.storage(), host);
    bytes_copied_ += host.nbytes();
  }
  c10::TensorImpl& impl = *tensor.unsafeGetTensorImpl();
  if (!same_geometry(impl, *alias.unsafeGetTensorImpl())) {
    impl.set_sizes_and_strides(alias.sizes(), alias.strides(), alias.storage_offset());
  }
}

}  // namespace sidra::aten
