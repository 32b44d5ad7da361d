#include "aten/host_operands.h"

#include <ATen/ops/empty_strided.h>

#include "aten/staged_storage.h"
#include "aten/tensor_label.h"
#include "runtime/allocator.h"
#include "runtime/device.h"
#include "runtime/driver_loader.h"
#include "runtime/error.h"
#include "runtime/stream.h"

namespace sidra::aten {
namespace {

void note_write(const at::Tensor& tensor) {
  if (runtime::Block* block = runtime::block_of(*tensor.storage().unsafeGetStorageImpl())) {
    block->writes.fetch_add(1, std::memory_order_acq_rel);
  }
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

HostOperands::HostOperands(c10::Device device) : device_(device), guard_(other_device(device)) {
  runtime::wait_for_current_stream(device.index());
  if (runtime::driver().host_coherent) {
    scope_.emplace(device.index());
  } else {
    staged_ = std::make_unique<StagedStorages>();
  }
}

HostOperands::~HostOperands() = default;

void HostOperands::count(const at::Tensor& tensor, uint64_t& bytes) {
  const auto elements = static_cast<uint64_t>(tensor.numel());
  bytes += elements * tensor.element_size();
  if (elements > largest_elements_) largest_elements_ = elements;
}

at::Tensor HostOperands::open(const at::Tensor& tensor, bool written) {
  if (!tensor.defined() || tensor.device().type() != runtime::kDeviceType) return tensor;
  check_has_storage(tensor);
  count(tensor, bytes_read_);
  at::Tensor alias = staged_ ? staged_->open(tensor, written) : as_host(tensor);
  if (written) written_.push_back({tensor, alias});
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
  if (staged_) {
    at::Tensor view = staged_->view_of_operand(result, device_);
    return view.defined() ? view : copy_to_device(result);
  }
  return adopt_in_place(std::move(result));
}

at::Tensor HostOperands::adopt_in_place(at::Tensor result) {
  c10::StorageImpl& storage = *result.storage().unsafeGetStorageImpl();
  if (storage.device_type() != runtime::kDeviceType) {
    runtime::Block* const block = runtime::block_of(storage);
    if (block == nullptr) return copy_to_device(result);  // allocated past the result scope
    storage.mutable_data_ptr().unsafe_set_device(device_);
    storage.set_allocator(runtime::device_allocator());
    block->computed.store(has_operands(), std::memory_order_relaxed);
  }
  return as_device(std::move(result), device_);
}

at::Tensor HostOperands::copy_to_device(const at::Tensor& result) {
  at::Tensor copy = at::empty_strided(result.sizes(), result.strides(),
                                      result.options().device(device_).pinned_memory(false));
  write_bytes(copy, result);
  if (runtime::Block* block = runtime::block_of(*copy.storage().unsafeGetStorageImpl())) {
    block->computed.store(has_operands(), std::memory_order_relaxed);
  }
  return copy;
}

void HostOperands::finish() {
  for (Written& operand : written_) {
    if (staged_) {
      staged_->write_back(operand.tensor, operand.alias);
    } else {
      adopt_geometry(operand.tensor, operand.alias);
    }
    note_write(operand.tensor);
  }
}

}  // namespace sidra::aten
