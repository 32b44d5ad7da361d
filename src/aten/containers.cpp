#include "aten/containers.h"

#include <ATen/NestedTensorImpl.h>
#include <ATen/SparseCsrTensorImpl.h>
#include <ATen/SparseTensorImpl.h>

#include "runtime/error.h"

namespace sidra::aten {
namespace {

// The key of `functionality` on the device's backend.
c10::DispatchKeySet keys(c10::DispatchKey functionality, c10::Device device) {
  const auto backend =
      device.is_cpu() ? c10::BackendComponent::CPUBit : c10::BackendComponent::PrivateUse1Bit;
  return c10::DispatchKeySet(functionality) | c10::DispatchKeySet(backend);
}

at::Tensor rebuild_coo(const at::Tensor& container, c10::Device device, const MoveMember& move) {
  const auto& from = static_cast<const at::SparseTensorImpl&>(*container.unsafeGetTensorImpl());
  auto to = c10::make_intrusive<at::SparseTensorImpl>(keys(c10::DispatchKey::Sparse, device),
                                                      container.dtype());
  to->raw_resize_(from.sparse_dim(), from.dense_dim(), from.sizes());
  to->set_indices_and_values_unsafe(move(from.indices()), move(from.values()));
  to->set_coalesced(from.coalesced());
  return at::Tensor(std::move(to));
}

at::Tensor rebuild_compressed(const at::Tensor& container, c10::Device device,
                              const MoveMember& move) {
  const auto& from = static_cast<const at::SparseCsrTensorImpl&>(*container.unsafeGetTensorImpl());
  auto to = c10::make_intrusive<at::SparseCsrTensorImpl>(
      keys(c10::DispatchKey::SparseCsr, device), device, container.layout(), container.dtype());
  to->set_member_tensors(move(from.compressed_indices()), move(from.plain_indices()),
                         move(from.values()), container.sizes());
  return at::Tensor(std::move(to));
}

// Sizes, strides and offsets of the parts lie on the CPU, whatever the device of the values.
at::Tensor rebuild_nested(const at::Tensor& container, const MoveMember& move) {
  const auto& from =
      static_cast<const at::native::NestedTensorImpl&>(*container.unsafeGetTensorImpl());
  const at::Tensor values = move(from.get_unsafe_storage_as_tensor());
  return at::Tensor(c10::make_intrusive<at::native::NestedTensorImpl>(
      values, from.get_nested_sizes(), from.get_nested_strides(), from.get_storage_offsets()));
}

}  // namespace

bool is_container(const at::Tensor& tensor) {
  return tensor.layout() != at::kStrided || tensor.is_nested();
}

at::Tensor rebuild_container(const at::Tensor& container, c10::Device device,
                             const MoveMember& move) {
  if (container.is_nested()) return rebuild_nested(container, move);
  switch (container.layout()) {
    case at::kSparse:
      return rebuild_coo(container, device, move);
    case at::kSparseCsr:
    case at::kSparseCsc:
    case at::kSparseBsr:
    case at::kSparseBsc:
      return rebuild_compressed(container, device, move);
    default:
      runtime::raise(
          runtime::ErrorKind::kUnsupported,
          c10::str("sidra holds strided, sparse, nested and quantized tensors; got a tensor of "
                   "layout ",
                   container.layout(), ". Use .to_dense() first"));
  }
}

void replace_contents(const at::Tensor& container, const at::Tensor& other) {
  container.unsafeGetTensorImpl()->shallow_copy_from(other.getIntrusivePtr());
}

}  // namespace sidra::aten
