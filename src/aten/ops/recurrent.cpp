#include "aten/ops/recurrent.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/add.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros_like.h>

namespace sidra::aten {
namespace {

at::Tensor with_bias(const at::Tensor& gates, const OptionalTensor& bias) {
  return bias.has_value() && bias->defined() ? gates + *bias : gates;
}

at::Tensor or_zero(const OptionalTensor& gradient, const at::Tensor& like) {
  return gradient.has_value() && gradient->defined() ? *gradient : at::zeros_like(like);
}

// Derivatives by the argument, given the activated value.
at::Tensor sigmoid_slope(const at::Tensor& value) { return value * (1 - value); }
at::Tensor tanh_slope(const at::Tensor& value) { return 1 - value * value; }

at::Tensor sum_over_batch(const at::Tensor& gradient, bool wanted) {
  return wanted ? gradient.sum(0) : at::Tensor();
}

}  // namespace

std::tuple<at::Tensor, at::Tensor, at::Tensor> lstm_cell(const at::Tensor& input_gates,
                                                         const at::Tensor& hidden_gates,
                                                         const at::Tensor& cx,
                                                         const OptionalTensor& input_bias,
                                                         const OptionalTensor& hidden_bias) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const auto gates =
      (with_bias(input_gates, input_bias) + with_bias(hidden_gates, hidden_bias)).chunk(4, 1);
  const at::Tensor input = gates[0].sigmoid(), forget = gates[1].sigmoid();
  const at::Tensor cell = gates[2].tanh(), output = gates[3].sigmoid();
  at::Tensor cy = forget * cx + input * cell;
  at::Tensor hy = output * cy.tanh();
  return {std::move(hy), std::move(cy), at::cat({input, forget, cell, output}, 1)};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> lstm_cell_backward(
    const OptionalTensor& grad_hy, const OptionalTensor& grad_cy, const at::Tensor& cx,
    const at::Tensor& cy, const at::Tensor& workspace, bool has_bias) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const auto gates = workspace.chunk(4, 1);
  const at::Tensor &input = gates[0], &forget = gates[1], &cell = gates[2], &output = gates[3];
  const at::Tensor squashed = cy.tanh();
  const at::Tensor grad_h = or_zero(grad_hy, cx);
  const at::Tensor grad_c = or_zero(grad_cy, cx) + grad_h * output * tanh_slope(squashed);
  const at::Tensor grad_gates =
      at::cat({grad_c * cell * sigmoid_slope(input), grad_c * cx * sigmoid_slope(forget),
               grad_c * input * tanh_slope(cell), grad_h * squashed * sigmoid_slope(output)},
              1);
  return {grad_gates, grad_c * forget, sum_over_batch(grad_gates, has_bias)};
}

std::tuple<at::Tensor, at::Tensor> gru_cell(const at::Tensor& input_gates,
                                            const at::Tensor& hidden_gates, const at::Tensor& hx,
                                            const OptionalTensor& input_bias,
                                            const OptionalTensor& hidden_bias) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const auto from_input = with_bias(input_gates, input_bias).chunk(3, 1);
  const auto from_hidden = with_bias(hidden_gates, hidden_bias).chunk(3, 1);
  const at::Tensor reset = (from_input[0] + from_hidden[0]).sigmoid();
  const at::Tensor update = (from_input[1] + from_hidden[1]).sigmoid();
  const at::Tensor fresh = (from_input[2] + reset * from_hidden[2]).tanh();
  at::Tensor hy = (hx - fresh) * update + fresh;
  return {std::move(hy), at::cat({reset, update, fresh, hx, from_hidden[2]}, 1)};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor> gru_cell_backward(
    const at::Tensor& grad_hy, const at::Tensor& workspace, bool has_bias) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const auto saved = workspace.chunk(5, 1);
  const at::Tensor &reset = saved[0], &update = saved[1], &fresh = saved[2], &hx = saved[3];
  const at::Tensor& hidden_part = saved[4];
  const at::Tensor grad_fresh = grad_hy * (1 - update) * tanh_slope(fresh);
  const at::Tensor grad_update = grad_hy * (hx - fresh) * sigmoid_slope(update);
  const at::Tensor grad_reset = grad_fresh * hidden_part * sigmoid_slope(reset);
  const at::Tensor grad_input = at::cat({grad_reset, grad_update, grad_fresh}, 1);
  const at::Tensor grad_hidden = at::cat({grad_reset, grad_update, grad_fresh * reset}, 1);
  return {grad_input, grad_hidden, grad_hy * update, sum_over_batch(grad_input, has_bias),
          sum_over_batch(grad_hidden, has_bias)};
}

}  // namespace sidra::aten
