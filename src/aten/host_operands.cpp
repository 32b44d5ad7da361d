#include "aten/host_operands.h"

#include "aten/containers.h"
#include "aten/quantizers.h"
#include "runtime/allocator.h"
#include "runtime/device.h"
#include "runtime/driver_loader.h"
#include "runtime/error.h"
#include "runtime/stream.h"
#include "runtime/transfer.h"

namespace sidra::aten {
namespace {

// Memory filled for the first time by an operator that read something is an activation; filled by
// one that read nothing (an initialiser) it is not.
void note_write(const at::Tensor& tensor, bool read_something) {
  runtime::Block* const block = runtime::block_of(*tensor.storage().unsafeGetStorageImpl());
  if (block == nullptr) return;
  const bool first = block->writes.fetch_add(1, std::memory_order_acq_rel) == 0;
  if (first && read_something) block->computed.store(true, std::memory_order_relaxed);
}

// The device to make current, or none when it is: a guard costs more than the question.
std::optional<c10::Device> other_device(c10::Device device) {
  if (device.index() == runtime::current_device()) return std::nullopt;
  return device;
}

}  // namespace

HostOperands::HostOperands(c10::Device device)
    : device_(device), guard_(other_device(device)), storages_(runtime::driver().host_coherent) {
  runtime::wait_for_current_stream(device.index());
  if (runtime::driver().host_coherent) scope_.emplace(device.index());
}

void HostOperands::count(const at::Tensor& tensor, uint64_t& bytes) {
  const auto elements = static_cast<uint64_t>(tensor.numel());
  bytes += elements * tensor.element_size();
  if (elements > work_.elements) work_.elements = elements;
}

at::Tensor HostOperands::open(const at::Tensor& tensor, bool written) {
  if (!tensor.defined() || tensor.device().type() != runtime::kDeviceType) return tensor;
  at::Tensor alias = is_container(tensor) ? open_container(tensor, written) : open_plain(tensor);
  if (written) {
    written_.push_back({tensor, alias});
  } else {
    has_operands_ = true;
  }
  return alias;
}

at::Tensor HostOperands::open_plain(const at::Tensor& tensor) {
  count(tensor, work_.bytes_read);
  at::Tensor alias = storages_.open(tensor);
  move_quantizer(alias, [&](const at::Tensor& member) { return open(member); });
  return alias;
}

at::Tensor HostOperands::open_container(const at::Tensor& container, bool written) {
  return rebuild_container(container, c10::Device(at::kCPU),
                           [&](const at::Tensor& member) { return open(member, written); });
}

std::optional<at::Tensor> HostOperands::open(const std::optional<at::Tensor>& tensor) {
  if (!tensor.has_value()) return std::nullopt;
  return open(*tensor);
}

at::Tensor HostOperands::close(at::Tensor result) {
  if (!result.defined() || result.device().type() == runtime::kDeviceType) return result;
  if (is_container(result)) return close_container(result);
  at::Tensor closed = close_plain(std::move(result));
  move_quantizer(closed, [&](const at::Tensor& member) { return close(member); });
  return closed;
}

at::Tensor HostOperands::close_plain(at::Tensor result) {
  count(result, work_.bytes_written);
  at::Tensor view = storages_.view_of_operand(result);
  if (view.defined()) return view;
  return scope_.has_value() ? adopt(std::move(result)) : copy_to_device(result);
}

at::Tensor HostOperands::close_container(const at::Tensor& result) {
  return rebuild_container(result, device_,
                           [&](const at::Tensor& member) { return close(member); });
}

at::Tensor HostOperands::adopt(at::Tensor result) {
  const c10::Storage storage = result.storage();
  c10::StorageImpl& impl = *storage.unsafeGetStorageImpl();
  if (impl.device_type() != runtime::kDeviceType) {
    // Memory that a kernel got past the result scope, such as a constant's, is copied.
    if (!claim_result(impl.mutable_data_ptr(), device_)) return copy_to_device(result);
    impl.set_allocator(runtime::device_allocator());
    runtime::block_of(impl)->computed.store(has_operands(), std::memory_order_relaxed);
  }
  if (result.use_count() > 1) return over_storage(storage, result);
  result.unsafeGetTensorImpl()->set_storage_keep_dtype(storage);
  result.unsafeGetTensorImpl()->_change_backend_component_keys(device_);
  return result;
}

at::Tensor HostOperands::copy_to_device(const at::Tensor& result) {
  const c10::Storage host = result.storage();
  c10::Allocator* const allocator = runtime::device_allocator();
  const c10::Storage device(c10::Storage::use_byte_size_t(), host.nbytes(),
                            allocator->allocate(host.nbytes()), allocator, /*resizable=*/true);
  runtime::copy_to_device(device_.index(), reinterpret_cast<uint64_t>(device.data()), host.data(),
                          host.nbytes());
  work_.bytes_copied += host.nbytes();
  if (runtime::Block* block = runtime::block_of(*device.unsafeGetStorageImpl())) {
    block->computed.store(has_operands(), std::memory_order_relaxed);
  }
  return over_storage(device, result);
}

Work HostOperands::work() const {
  Work work = work_;
  work.bytes_copied += storages_.bytes_copied();
  return work;
}

void HostOperands::finish() {
  for (const Written& operand : written_) {
    if (is_container(operand.tensor)) {
      replace_contents(operand.tensor, close_container(operand.alias));
      continue;
    }
    storages_.write_back(operand.tensor, operand.alias);
    note_write(operand.tensor, has_operands());
  }
}

}  // namespace sidra::aten
