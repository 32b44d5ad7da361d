#include "aten/host_operands.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/empty_strided.h>

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

void check_has_storage(const at::Tensor& tensor) {
  if (tensor.layout() == at::kStrided && tensor.has_storage() && !tensor.is_quantized()) return;
  runtime::raise(
      runtime::ErrorKind::kUnsupported,
      c10::str("sidra holds strided tensors only; got a tensor of layout ", tensor.layout(),
               " and type ", tensor.scalar_type(), ". Use .to_dense() or .dequantize() first"));
}

HostOperands::HostOperands(c10::Device device)
    : device_(device), guard_(other_device(device)), storages_(runtime::driver().host_coherent) {
  runtime::wait_for_current_stream(device.index());
  if (runtime::driver().host_coherent) scope_.emplace(device.index());
}

void HostOperands::count(const at::Tensor& tensor, uint64_t& bytes) {
  const auto elements = static_cast<uint64_t>(tensor.numel());
  bytes += elements * tensor.element_size();
  if (elements > largest_elements_) largest_elements_ = elements;
}

at::Tensor HostOperands::open(const at::Tensor& tensor, bool written) {
  if (!tensor.defined() || tensor.device().type() != runtime::kDeviceType) return tensor;
  check_has_storage(tensor);
  count(tensor, bytes_read_);
  at::Tensor alias = storages_.open(tensor);
  if (written) {
    written_.push_back({tensor, alias});
  } else {
    has_operands_ = true;
  }
  return alias;
}

std::optional<at::Tensor> HostOperands::open(const std::optional<at::Tensor>& tensor) {
  if (!tensor.has_value()) return std::nullopt;
  return open(*tensor);
}

at::Tensor HostOperands::close(at::Tensor result) {
  if (!result.defined() || result.device().type() == runtime::kDeviceType) return result;
  check_has_storage(result);
  count(result, bytes_written_);
  at::Tensor view = storages_.view_of_operand(result);
  if (view.defined()) return view;
  return scope_.has_value() ? adopt(std::move(result)) : copy_to_device(result);
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
  at::Tensor copy = at::empty_strided(result.sizes(), result.strides(),
                                      result.options().device(device_).pinned_memory(false));
  const size_t bytes =
      at::detail::computeStorageNbytes(result.sizes(), result.strides(), result.element_size());
  runtime::copy_to_device(device_.index(), reinterpret_cast<uint64_t>(copy.const_data_ptr()),
                          result.const_data_ptr(), bytes);
  if (runtime::Block* block = runtime::block_of(*copy.storage().unsafeGetStorageImpl())) {
    block->computed.store(has_operands(), std::memory_order_relaxed);
  }
  return copy;
}

void HostOperands::finish() {
  for (const Written& operand : written_) {
    storages_.write_back(operand.tensor, operand.alias);
    note_write(operand.tensor, has_operands());
  }
}

}  // namespace sidra::aten
