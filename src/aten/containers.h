// Tensors that hold other tensors: those of the sparse layouts, and nested ones. A container moves
// between its device side and its host side by moving its members, so what holds for a strided
// tensor (same bytes, no copies) holds for it too.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/FunctionRef.h>

namespace sidra::aten {

// Takes a member of one side to the other.
using MoveMember = c10::function_ref<at::Tensor(const at::Tensor&)>;

bool is_container(const at::Tensor& tensor);

// The same container on `device`, each of its members replaced by its `move`.
// Raises UnsupportedOperator for layouts that PyTorch's CPU keeps in a form of its own (mkldnn).
at::Tensor rebuild_container(const at::Tensor& container, c10::Device device,
                             const MoveMember& move);

// Makes `container` hold what `other`, a container of its kind and device, holds.
void replace_contents(const at::Tensor& container, const at::Tensor& other);

}  // namespace sidra::aten
