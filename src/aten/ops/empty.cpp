#include "aten/ops/empty.h"

#include <ATen/Context.h>
#include <ATen/EmptyTensor.h>
#include <ATen/native/TensorFactories.h>
#include <c10/core/DeviceGuard.h>

#include "runtime/allocator.h"
#include "runtime/device.h"
#include "runtime/error.h"

namespace sidra::aten {
namespace {

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

c10::Device checked_device(std::optional<at::Device> device, std::optional<at::Layout> layout,
                           std::optional<bool> pin_memory) {
  if (layout.value_or(at::kStrided) != at::kStrided) {
    runtime::raise(runtime::ErrorKind::kUnsupported,
                   c10::str("sidra holds strided tensors only, not layout ", *layout));
  }
  if (pin_memory.value_or(false)) {
    runtime::raise(runtime::ErrorKind::kRuntime,
                   "Only dense CPU tensors can be pinned; leave pin_memory out on sidra");
  }
  runtime::initialize();
  return {runtime::kDeviceType, runtime::check_device(device ? device->index() : -1)};
}

at::Tensor filled_if_deterministic(at::Tensor tensor) {
  if (at::globalContext().deterministicAlgorithms() &&
      at::globalContext().deterministicFillUninitializedMemory()) {
    at::native::fill_empty_deterministic_(tensor);
  }
  return tensor;
}

}  // namespace

at::Tensor empty(c10::SymIntArrayRef size, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> layout, std::optional<at::Device> device,
                 std::optional<bool> pin_memory, std::optional<at::MemoryFormat> memory_format) {
  const c10::DeviceGuard guard(checked_device(device, layout, pin_memory));
  return filled_if_deterministic(
      at::detail::empty_generic(C10_AS_INTARRAYREF_SLOW(size), runtime::device_allocator(), kKeys,
                                c10::dtype_or_default(dtype), memory_format));
}

at::Tensor empty_strided(c10::SymIntArrayRef size, c10::SymIntArrayRef stride,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> device, std::optional<bool> pin_memory) {
  const c10::DeviceGuard guard(checked_device(device, layout, pin_memory));
  return filled_if_deterministic(at::detail::empty_strided_generic(
      C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride), runtime::device_allocator(),
      kKeys, c10::dtype_or_default(dtype)));
}

at::Tensor efficient_zero_tensor(c10::SymIntArrayRef size, std::optional<at::ScalarType> dtype,
                                 std::optional<at::Layout> layout, std::optional<at::Device> device,
                                 std::optional<bool> pin_memory) {
  at::native::ZeroTensorAllocator allocator(checked_device(device, layout, pin_memory));
  return at::detail::empty_generic(C10_AS_INTARRAYREF_SLOW(size), &allocator,
                                   kKeys.add(c10::DispatchKey::ZeroTensor),
                                   c10::dtype_or_default(dtype), std::nullopt);
}

at::Tensor empty_result(at::IntArrayRef size, at::ScalarType dtype, c10::Device device) {
  const c10::DeviceGuard guard(device);
  at::Tensor result =
      at::detail::empty_generic(size, runtime::device_allocator(), kKeys, dtype, std::nullopt);
  if (runtime::Block* block = runtime::block_of(*result.storage().unsafeGetStorageImpl())) {
    block->computed.store(true, std::memory_order_relaxed);
  }
  return result;
}

}  // namespace sidra::aten
