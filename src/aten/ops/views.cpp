#include "aten/ops/views.h"

#include <ATen/Context.h>
#include <ATen/native/Resize.h>
#include <ATen/native/ResizeCommon.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/DeviceGuard.h>

#include "runtime/allocator.h"
#include "runtime/device.h"
#include "runtime/transfer.h"

namespace sidra::aten {
namespace {

// Grows a storage, keeping its bytes.
void grow_storage(c10::StorageImpl& storage, size_t bytes) {
  TORCH_CHECK(storage.resizable(), "Trying to resize storage that is not resizable");
  const c10::DeviceGuard guard(storage.device());
  c10::DataPtr grown = runtime::device_allocator()->allocate(bytes);
  runtime::copy_on_device(storage.device().index(), reinterpret_cast<uint64_t>(grown.get()),
                          reinterpret_cast<uint64_t>(storage.data()), storage.nbytes());
  storage.set_data_ptr_noswap(std::move(grown));
  storage.set_nbytes(bytes);
}

void fit_storage(const at::Tensor& self) {
  if (self.numel() == 0) return;
  const size_t needed =
      at::detail::computeStorageNbytes(self.sizes(), self.strides(), self.element_size(),
                                       static_cast<size_t>(self.storage_offset()));
  c10::StorageImpl& storage = *self.storage().unsafeGetStorageImpl();
  if (needed > storage.nbytes()) grow_storage(storage, needed);
}

}  // namespace

at::Tensor as_strided(const at::Tensor& self, c10::SymIntArrayRef size, c10::SymIntArrayRef stride,
                      std::optional<c10::SymInt> storage_offset) {
  const auto offset = storage_offset.has_value()
                          ? std::make_optional(storage_offset->guard_int(__FILE__, __LINE__))
                          : std::nullopt;
  return at::native::as_strided_tensorimpl(self, C10_AS_INTARRAYREF_SLOW(size),
                                           C10_AS_INTARRAYREF_SLOW(stride), offset);
}

at::Tensor view(const at::Tensor& self, c10::SymIntArrayRef size) {
  return at::native::view(self, C10_AS_INTARRAYREF_SLOW(size));
}

at::Tensor reshape_alias(const at::Tensor& self, c10::SymIntArrayRef size,
                         c10::SymIntArrayRef stride) {
  return at::native::_reshape_alias(self, C10_AS_INTARRAYREF_SLOW(size),
                                    C10_AS_INTARRAYREF_SLOW(stride));
}

at::Tensor unfold(const at::Tensor& self, int64_t dimension, int64_t size, int64_t step) {
  return at::native::unfold(self, dimension, size, step);
}

at::Tensor view_as_real(const at::Tensor& self) { return at::native::view_as_real(self); }
at::Tensor view_as_complex(const at::Tensor& self) { return at::native::view_as_complex(self); }

const at::Tensor& resize_(const at::Tensor& self, c10::SymIntArrayRef size,
                          std::optional<at::MemoryFormat> memory_format) {
  const at::IntArrayRef sizes = C10_AS_INTARRAYREF_SLOW(size);
  const auto old_bytes = static_cast<int64_t>(self.storage().nbytes());
  if (self.sizes() != sizes) {
    self.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
    fit_storage(self);
  }
  if (memory_format.has_value()) {
    self.unsafeGetTensorImpl()->empty_tensor_restride(*memory_format);
  }
  if (static_cast<int64_t>(self.storage().nbytes()) > old_bytes &&
      at::globalContext().deterministicAlgorithms() &&
      at::globalContext().deterministicFillUninitializedMemory()) {
    at::native::fill_resize_deterministic_(self, old_bytes);
  }
  return self;
}

at::Tensor& set_storage_offset(at::Tensor& self, c10::Storage source, c10::SymInt storage_offset,
                               c10::SymIntArrayRef size, c10::SymIntArrayRef stride) {
  const at::IntArrayRef sizes = C10_AS_INTARRAYREF_SLOW(size);
  const at::IntArrayRef strides = C10_AS_INTARRAYREF_SLOW(stride);
  const int64_t offset = storage_offset.guard_int(__FILE__, __LINE__);
  at::native::checkSetStorage(self, source, offset, sizes, strides);
  self.unsafeGetTensorImpl()->set_storage_offset(offset);
  if (strides.data() != nullptr) {
    self.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
  } else {
    self.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
  }
  fit_storage(self);
  return self;
}

at::Tensor& set_storage(at::Tensor& self, c10::Storage source) {
  const auto elements =
      static_cast<int64_t>(source.nbytes() / static_cast<size_t>(self.element_size()));
  return set_storage_offset(self, std::move(source), 0, c10::SymIntArrayRef({elements}), {});
}

at::Tensor& set_tensor(at::Tensor& self, const at::Tensor& source) {
  if (self.unsafeGetTensorImpl() == source.unsafeGetTensorImpl()) return self;
  return set_storage_offset(self, source.storage(), source.sym_storage_offset(), source.sym_sizes(),
                            source.sym_strides());
}

at::Tensor& set_empty(at::Tensor& self) {
  const c10::DeviceGuard guard(self.device());
  c10::Storage storage(c10::Storage::use_byte_size_t(), 0, runtime::device_allocator(), true);
  return set_storage_offset(self, std::move(storage), 0, c10::SymIntArrayRef({0}), {});
}

bool has_compatible_shallow_copy_type(const at::Tensor& self, const at::Tensor& from) {
  // `parameter.data = device_tensor` moves a parameter: dense strided tensors of the CPU and of the
  // device share their representation.
  const auto dense = [](const at::Tensor& tensor) {
    return tensor.key_set().has_any(c10::DispatchKeySet(c10::DispatchKey::Dense)) &&
           (tensor.is_cpu() || tensor.device().type() == runtime::kDeviceType);
  };
  return self.key_set() == from.key_set() || (dense(self) && dense(from));
}

void record_stream(at::Tensor& self, c10::Stream stream) {
  runtime::device_allocator()->recordStream(self.storage().data_ptr(), stream);
}

}  // namespace sidra::aten
