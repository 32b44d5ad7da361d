// The two labels of one tensor: the same bytes seen as a device tensor or as a CPU tensor.
#pragma once

#include <ATen/core/Tensor.h>

namespace sidra::aten {

// A CPU tensor over the same storage, with the same geometry, conj and neg bits, and version
// counter. Only on coherent memory, where the device address is a host pointer.
at::Tensor as_host(const at::Tensor& tensor);

// The tensor relabelled for `device`; in place when nobody else holds it.
at::Tensor as_device(at::Tensor tensor, c10::Device device);

// Gives a device tensor the sizes, strides, offset and storage of its host alias, after an operator
// may have resized it.
void adopt_geometry(const at::Tensor& tensor, const at::Tensor& alias);

}  // namespace sidra::aten
