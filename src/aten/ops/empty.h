#pragma once

#include <ATen/core/Tensor.h>

namespace sidra::aten {

at::Tensor empty(c10::SymIntArrayRef size, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> layout, std::optional<at::Device> device,
                 std::optional<bool> pin_memory, std::optional<at::MemoryFormat> memory_format);
at::Tensor empty_strided(c10::SymIntArrayRef size, c10::SymIntArrayRef stride,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> device, std::optional<bool> pin_memory);

// A tensor of zeros without memory, as gradients that are known to be zero have.
at::Tensor efficient_zero_tensor(c10::SymIntArrayRef size, std::optional<at::ScalarType> dtype,
                                 std::optional<at::Layout> layout, std::optional<at::Device> device,
                                 std::optional<bool> pin_memory);

// A contiguous float32 tensor for the result of a device command, marked as an activation.
at::Tensor empty_result(at::IntArrayRef size, at::ScalarType dtype, c10::Device device);

}  // namespace sidra::aten
