// The fused LSTM and GRU cells, which PyTorch asks every device other than the CPU for. Written
// with other operators; PyTorch multiplies the weights itself, so they run on crossbars.
//
// Gates [batch][gates * hidden]; states [batch][hidden]; biases [gates * hidden] or undefined.
// LSTM gates lie in the order input, forget, cell, output; GRU gates reset, update, new.
#pragma once

#include <ATen/core/Tensor.h>

#include <tuple>

namespace sidra::aten {

using OptionalTensor = std::optional<at::Tensor>;

// New hidden state, new cell state, workspace (the activated gates).
std::tuple<at::Tensor, at::Tensor, at::Tensor> lstm_cell(const at::Tensor& input_gates,
                                                         const at::Tensor& hidden_gates,
                                                         const at::Tensor& cx,
                                                         const OptionalTensor& input_bias,
                                                         const OptionalTensor& hidden_bias);

// Gradients of the gates, of cx, of either bias.
std::tuple<at::Tensor, at::Tensor, at::Tensor> lstm_cell_backward(
    const OptionalTensor& grad_hy, const OptionalTensor& grad_cy, const at::Tensor& cx,
    const at::Tensor& cy, const at::Tensor& workspace, bool has_bias);

// New hidden state, workspace (reset, update, new gate, old state, hidden part of the new gate).
std::tuple<at::Tensor, at::Tensor> gru_cell(const at::Tensor& input_gates,
                                            const at::Tensor& hidden_gates, const at::Tensor& hx,
                                            const OptionalTensor& input_bias,
                                            const OptionalTensor& hidden_bias);

// Gradients of the input gates, hidden gates, hx, input bias, hidden bias.
std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor> gru_cell_backward(
    const at::Tensor& grad_hy, const at::Tensor& workspace, bool has_bias);

}  // namespace sidra::aten
