// Convolutions of one to three dimensions, transposed and grouped, on crossbars.
//
// The weight is unrolled once into matrices and stays in its crossbars; the activation is cut into
// patches, one vector each. Grouped convolutions pack as many groups as fit one crossbar as a
// block-diagonal matrix, so that a depthwise layer does not need a crossbar per channel.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <tuple>

namespace sidra::aten {

at::Tensor convolution(const at::Tensor& input, const at::Tensor& weight,
                       const std::optional<at::Tensor>& bias, at::IntArrayRef stride,
                       at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
                       at::IntArrayRef output_padding, int64_t groups);

// Exact, on the host.
std::tuple<at::Tensor, at::Tensor, at::Tensor> convolution_backward(
    const at::Tensor& grad_output, const at::Tensor& input, const at::Tensor& weight,
    at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
    at::IntArrayRef output_padding, int64_t groups, std::array<bool, 3> output_mask);

}  // namespace sidra::aten
