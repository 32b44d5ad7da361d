#include "executable/frame.h"

#include <sstream>

namespace sidra::executable {

const char* buffer_kind_name(BufferKind kind) {
  switch (kind) {
    case BufferKind::kInput:
      return "input";
    case BufferKind::kOutput:
      return "output";
    case BufferKind::kArena:
      return "arena";
    case BufferKind::kConstant:
      return "constant";
    case BufferKind::kSlot:
      return "slot";
  }
  return "";
}

std::string View::text() const {
  std::ostringstream out;
  out << dtype << at::IntArrayRef(sizes) << " with strides " << at::IntArrayRef(strides) << " in "
      << buffer_kind_name(place.kind) << " " << place.index << " at byte " << place.offset;
  return out.str();
}

const at::Tensor& Frame::buffer(const Place& place) const {
  const auto index = static_cast<size_t>(place.index);
  switch (place.kind) {
    case BufferKind::kInput:
      return inputs[index];
    case BufferKind::kOutput:
      return outputs[index];
    case BufferKind::kConstant:
      return (*constants)[index];
    case BufferKind::kSlot:
      return slots[index];
    case BufferKind::kArena:
      break;
  }
  return arena;
}

char* Frame::address(const Place& place) const {
  const at::Tensor& base = buffer(place);
  // Read only where it is an operand; `const_data_ptr` counts no write.
  return static_cast<char*>(const_cast<void*>(base.const_data_ptr())) + place.offset;
}

at::Tensor Frame::tensor(const View& view) const {
  const at::Tensor& base = buffer(view.place);
  if (view.place.offset == 0 && base.scalar_type() == view.dtype && base.sizes() == view.sizes &&
      base.strides() == view.strides) {
    return base;
  }
  at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(base.storage()), base.key_set(), c10::scalarTypeToTypeMeta(view.dtype));
  const auto size = static_cast<int64_t>(c10::elementSize(view.dtype));
  const int64_t start =
      base.storage_offset() * static_cast<int64_t>(base.element_size()) + view.place.offset;
  tensor.unsafeGetTensorImpl()->set_storage_offset(start / size);
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(view.sizes, view.strides);
  return tensor;
}

}  // namespace sidra::executable
