#include "aten/staged_storage.h"

#include <ATen/EmptyTensor.h>
#include <c10/core/CPUAllocator.h>

#include "aten/tensor_label.h"
#include "runtime/allocator.h"
#include "runtime/transfer.h"

namespace sidra::aten {
namespace {

uint64_t address_of(const c10::Storage& storage) {
  return reinterpret_cast<uint64_t>(storage.unsafeGetStorageImpl()->data());
}

void write_storage(const c10::Storage& device, const c10::Storage& host, size_t bytes) {
  runtime::copy_to_device(device.device().index(), address_of(device), host.data(), bytes);
}

at::Tensor over(const c10::Storage& storage, const at::Tensor& geometry, c10::Device device) {
  const c10::TensorImpl& impl = *geometry.unsafeGetTensorImpl();
  auto copy = impl.shallow_copy_and_detach(impl.version_counter(), true);
  copy->set_storage_keep_dtype(storage);
  return as_device(at::Tensor(std::move(copy)), device);
}

}  // namespace

c10::Storage read_storage(const c10::Storage& storage) {
  const size_t bytes = storage.nbytes();
  c10::Storage host(c10::Storage::use_byte_size_t(), bytes, c10::GetCPUAllocator(), true);
  runtime::copy_to_host(storage.device().index(), host.mutable_data(), address_of(storage), bytes);
  return host;
}

void write_bytes(const at::Tensor& device_tensor, const at::Tensor& host_tensor) {
  const size_t bytes = at::detail::computeStorageNbytes(host_tensor.sizes(), host_tensor.strides(),
                                                        host_tensor.element_size());
  runtime::copy_to_device(device_tensor.device().index(),
                          reinterpret_cast<uint64_t>(device_tensor.const_data_ptr()),
                          host_tensor.const_data_ptr(), bytes);
}

const StagedStorages::Staged* StagedStorages::find_device(const c10::Storage& storage) const {
  for (const Staged& staged : storages_) {
    if (staged.device.unsafeGetStorageImpl() == storage.unsafeGetStorageImpl()) return &staged;
  }
  return nullptr;
}

const StagedStorages::Staged* StagedStorages::find_host(const c10::Storage& storage) const {
  for (const Staged& staged : storages_) {
    if (staged.host.unsafeGetStorageImpl() == storage.unsafeGetStorageImpl()) return &staged;
  }
  return nullptr;
}

at::Tensor StagedStorages::open(const at::Tensor& tensor, bool) {
  const Staged* staged = find_device(tensor.storage());
  if (staged == nullptr) {
    storages_.push_back({tensor.storage(), read_storage(tensor.storage())});
    staged = &storages_.back();
  }
  return over(staged->host, tensor, c10::Device(c10::DeviceType::CPU));
}

at::Tensor StagedStorages::view_of_operand(const at::Tensor& result, c10::Device device) const {
  const Staged* const staged = find_host(result.storage());
  return staged == nullptr ? at::Tensor() : over(staged->device, result, device);
}

void StagedStorages::write_back(const at::Tensor& tensor, const at::Tensor& alias) {
  const c10::Storage& device = tensor.storage();
  const c10::Storage& host = alias.storage();
  if (host.nbytes() > device.nbytes()) {
    c10::StorageImpl& impl = *device.unsafeGetStorageImpl();
    impl.set_data_ptr_noswap(runtime::device_allocator()->allocate(host.nbytes()));
    impl.set_nbytes(host.nbytes());
  }
  write_storage(device, host, host.nbytes());
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(alias.sizes(), alias.strides(),
                                                      alias.storage_offset());
}

}  // namespace sidra::aten
