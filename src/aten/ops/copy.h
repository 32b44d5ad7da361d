// Copies between tensors: the one way in and out of the device.
#pragma once

#include <ATen/core/Tensor.h>

namespace sidra::aten {

// Either side, or both, is on the device; shapes are equal, types and strides may differ.
at::Tensor copy_from(const at::Tensor& self, const at::Tensor& dst, bool non_blocking);
at::Tensor copy_from_and_resize(const at::Tensor& self, const at::Tensor& dst);
at::Scalar local_scalar_dense(const at::Tensor& self);

}  // namespace sidra::aten
