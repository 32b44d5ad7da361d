#include "aten/tensor_label.h"

namespace sidra::aten {
namespace {

// TensorImpl has no public way to name another device while it keeps its storage. The member is
// protected, so a derived class may form the pointer to it.
struct Access : c10::TensorImpl {
  static void set_device(c10::TensorImpl& impl, c10::Device device) {
    impl.*(&Access::device_opt_) = device;
  }
};

void relabel(c10::TensorImpl& impl, c10::Device device) {
  impl._change_backend_component_keys(device);
  Access::set_device(impl, device);
}

}  // namespace

at::Tensor as_host(const at::Tensor& tensor) {
  const c10::TensorImpl& impl = *tensor.unsafeGetTensorImpl();
  auto alias = impl.shallow_copy_and_detach(impl.version_counter(),
                                            /*allow_tensor_metadata_change=*/true);
  relabel(*alias, c10::Device(c10::DeviceType::CPU));
  return at::Tensor(std::move(alias));
}

at::Tensor as_device(at::Tensor tensor, c10::Device device) {
  if (tensor.use_count() == 1 && !tensor.unsafeGetTensorImpl()->pyobj_slot()->load_pyobj()) {
    relabel(*tensor.unsafeGetTensorImpl(), device);
    return tensor;
  }
  const c10::TensorImpl& impl = *tensor.unsafeGetTensorImpl();
  auto copy = impl.shallow_copy_and_detach(impl.version_counter(),
                                           /*allow_tensor_metadata_change=*/true);
  relabel(*copy, device);
  return at::Tensor(std::move(copy));
}

void adopt_geometry(const at::Tensor& tensor, const at::Tensor& alias) {
  c10::TensorImpl* const impl = tensor.unsafeGetTensorImpl();
  const c10::TensorImpl* const from = alias.unsafeGetTensorImpl();
  const bool same_storage = impl->unsafe_storage().unsafeGetStorageImpl() ==
                            from->unsafe_storage().unsafeGetStorageImpl();
  if (same_storage && impl->sizes() == from->sizes() && impl->strides() == from->strides() &&
      impl->storage_offset() == from->storage_offset()) {
    return;
  }
  if (!same_storage) {
    const c10::Device device = impl->device();
    impl->set_storage_keep_dtype(from->storage());
    Access::set_device(*impl, device);
  }
  impl->set_sizes_and_strides(from->sizes(), from->strides(), from->storage_offset());
}

}  // namespace sidra::aten
