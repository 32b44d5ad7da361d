// The one place where operators are registered for the device (autocast.cpp has autocast's lists).
//
// What is not listed here, and is not composed of other operators, reaches the fallback.
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/ops/_to_copy_native.h>
#include <ATen/ops/copy_native.h>
#include <ATen/ops/set_native.h>
#include <torch/library.h>

#include "aten/fallback.h"
#include "aten/ops/attention.h"
#include "aten/ops/convolution.h"
#include "aten/ops/copy.h"
#include "aten/ops/empty.h"
#include "aten/ops/linear.h"
#include "aten/ops/recurrent.h"
#include "aten/ops/sync_batch_norm.h"
#include "aten/ops/views.h"
#include "aten/result_allocator.h"

namespace sidra::aten {
namespace {

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  install_result_allocator();
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", empty);
  m.impl("empty_strided", empty_strided);
  m.impl("_efficientzerotensor", efficient_zero_tensor);

  m.impl("as_strided", as_strided);
  m.impl("view", view);
  m.impl("_reshape_alias", reshape_alias);
  m.impl("unfold", unfold);
  m.impl("view_as_real", view_as_real);
  m.impl("view_as_complex", view_as_complex);
  m.impl("resize_", resize_);
  m.impl("set_", set_empty);
  m.impl("set_.source_Storage", set_storage);
  m.impl("set_.source_Storage_storage_offset", set_storage_offset);
  m.impl("set_.source_Tensor", set_tensor);
  m.impl("_has_compatible_shallow_copy_type", has_compatible_shallow_copy_type);
  m.impl("record_stream", record_stream);

  m.impl("_copy_from", copy_from);
  m.impl("_copy_from_and_resize", copy_from_and_resize);
  m.impl("_local_scalar_dense", local_scalar_dense);

  m.impl("mm", mm);
  m.impl("mm.out", mm_out);
  m.impl("addmm", addmm);
  m.impl("addmm.out", addmm_out);
  m.impl("addmm_", addmm_);
  m.impl("bmm", bmm);
  m.impl("mv", mv);
  m.impl("convolution_overrideable", convolution);
  m.impl("convolution_backward_overrideable", convolution_backward);

  // PyTorch composes these for devices without a kernel of their own; the CPU does better.
  const auto cpu_kernel = [] { return torch::CppFunction::makeFromBoxedFunction<&fallback>(); };
  m.impl("native_layer_norm", cpu_kernel());
  m.impl("native_group_norm", cpu_kernel());
  m.impl("_conj_physical", cpu_kernel());
  m.impl("conj_physical_", cpu_kernel());
  m.impl("mode.values", cpu_kernel());

  m.impl("_scaled_dot_product_fused_attention_overrideable", fused_attention);
  m.impl("_scaled_dot_product_fused_attention_overrideable_backward", fused_attention_backward);
  m.impl("_thnn_fused_lstm_cell", lstm_cell);
  m.impl("_thnn_fused_lstm_cell_backward_impl", lstm_cell_backward);
  m.impl("_thnn_fused_gru_cell", gru_cell);
  m.impl("_thnn_fused_gru_cell_backward", gru_cell_backward);
  m.impl("batch_norm_stats", batch_norm_stats);
  m.impl("batch_norm_gather_stats_with_counts", batch_norm_gather_stats_with_counts);
  m.impl("batch_norm_elemt", batch_norm_elemt);
  m.impl("batch_norm_backward_reduce", batch_norm_backward_reduce);
  m.impl("batch_norm_backward_elemt", batch_norm_backward_elemt);
}

// What the CPU implements for a layout, the device does with that kernel, also where PyTorch would
// compose the operator of others: the composition is meant for strided tensors. Left out are
// copies, whose operands lie on two devices, and what takes a storage.
template <c10::DispatchKey key>
void take_over(torch::Library& m) {
  for (const c10::OperatorName& name :
       c10::Dispatcher::singleton().getAllOpNamesForDispatchKey(key)) {
    if (name.getNamespace() != "aten" || name.name == "aten::copy_" ||
        name.name == "aten::_to_copy" || name.name == "aten::set_") {
      continue;
    }
    m.impl(c10::toString(name).c_str(),
           torch::CppFunction::makeFromBoxedFunction<&fallback_to<key>>());
  }
}

template <c10::DispatchKey key>
void fall_back(torch::Library& m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback_to<key>>());
}

TORCH_LIBRARY_IMPL(_, SparsePrivateUse1, m) { fall_back<c10::DispatchKey::SparseCPU>(m); }
TORCH_LIBRARY_IMPL(aten, SparsePrivateUse1, m) {
  take_over<c10::DispatchKey::SparseCPU>(m);
  m.impl("copy_", at::native::copy_sparse_wrapper_);
}

TORCH_LIBRARY_IMPL(_, SparseCsrPrivateUse1, m) { fall_back<c10::DispatchKey::SparseCsrCPU>(m); }
TORCH_LIBRARY_IMPL(aten, SparseCsrPrivateUse1, m) {
  take_over<c10::DispatchKey::SparseCsrCPU>(m);
  m.impl("copy_", at::native::copy_sparse_compressed_);
}

TORCH_LIBRARY_IMPL(_, NestedTensorPrivateUse1, m) {
  fall_back<c10::DispatchKey::NestedTensorCPU>(m);
}
TORCH_LIBRARY_IMPL(aten, NestedTensorPrivateUse1, m) {
  take_over<c10::DispatchKey::NestedTensorCPU>(m);
  m.impl("copy_", at::native::copy_nested_);
  m.impl("_to_copy", at::native::_to_copy_nested);
}

TORCH_LIBRARY_IMPL(_, QuantizedPrivateUse1, m) { fall_back<c10::DispatchKey::QuantizedCPU>(m); }
TORCH_LIBRARY_IMPL(aten, QuantizedPrivateUse1, m) {
  take_over<c10::DispatchKey::QuantizedCPU>(m);
  m.impl("_copy_from", copy_from);
  m.impl("set_.source_Storage_storage_offset", at::native::set_storage_quantized_);
}

// A copy resolves conjugate and negative views itself; resolving them first would copy again, for
// ever.
void pass_through(torch::Library& m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
  m.impl("_copy_from_and_resize", torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(aten, Conjugate, m) { pass_through(m); }
TORCH_LIBRARY_IMPL(aten, Negative, m) { pass_through(m); }
TORCH_LIBRARY_IMPL(aten, ZeroTensor, m) { pass_through(m); }

}  // namespace
}  // namespace sidra::aten

namespace at::native {
REGISTER_PRIVATEUSE1_DISPATCH(_fused_sdp_choice_stub, &sidra::aten::choose_attention)
}  // namespace at::native
