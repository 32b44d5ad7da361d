// The five operators that torch.nn.SyncBatchNorm is made of; PyTorch has no CPU code for them.
//
// x [N, C, ...] of any float type; statistics [C] are f32, f64 for an f64 input. Between them the
// module exchanges statistics with the other processes. They are compositions of operators of the
// device, which count themselves.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <tuple>

namespace sidra::aten {

using OptionalTensor = std::optional<at::Tensor>;

// Mean and 1 / sqrt(variance + eps) of each channel.
std::tuple<at::Tensor, at::Tensor> batch_norm_stats(const at::Tensor& x, double eps);

// Mean and inverse deviation of the union of W batches with counts [W], from those of each [W, C].
// The running ones are moved by `momentum`, the variance without bias.
std::tuple<at::Tensor, at::Tensor> batch_norm_gather_stats_with_counts(
    const at::Tensor& x, const at::Tensor& means, const at::Tensor& inverses,
    const OptionalTensor& running_mean, const OptionalTensor& running_variance, double momentum,
    double eps, const at::Tensor& counts);

// (x - mean) * inverse * weight + bias
at::Tensor batch_norm_elemt(const at::Tensor& x, const OptionalTensor& weight,
                            const OptionalTensor& bias, const at::Tensor& mean,
                            const at::Tensor& inverse, double eps);

// Sums over this batch of the gradient, and of the gradient times (x - mean); then the gradients of
// weight and bias.
std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> batch_norm_backward_reduce(
    const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& mean,
    const at::Tensor& inverse, const OptionalTensor& weight, bool for_input, bool for_weight,
    bool for_bias);

// The gradient of x, from those sums over all batches with counts [W].
at::Tensor batch_norm_backward_elemt(const at::Tensor& gradient, const at::Tensor& x,
                                     const at::Tensor& mean, const at::Tensor& inverse,
                                     const OptionalTensor& weight, const at::Tensor& sum,
                                     const at::Tensor& product_sum, const at::Tensor& counts);

}  // namespace sidra::aten
