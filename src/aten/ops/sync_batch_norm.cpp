#include "aten/ops/sync_batch_norm.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/var_mean.h>

#include <utility>
#include <vector>

namespace sidra::aten {
namespace {

bool given(const OptionalTensor& tensor) { return tensor.has_value() && tensor->defined(); }

c10::ScalarType statistics_type(const at::Tensor& x) {
  return x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

at::Tensor precise(const at::Tensor& x, const at::Tensor& like) {
  return x.to(statistics_type(like));
}

std::vector<int64_t> all_but_channels(const at::Tensor& x) {
  std::vector<int64_t> dimensions{0};
  for (int64_t dimension = 2; dimension < x.dim(); ++dimension) dimensions.push_back(dimension);
  return dimensions;
}

// `statistic` [C] as [1, C, 1, ...], to stand beside x.
at::Tensor beside(const at::Tensor& statistic, const at::Tensor& x) {
  std::vector<int64_t> shape(x.dim(), 1);
  shape[1] = -1;
  return precise(statistic, x).view(shape);
}

void move_running(const OptionalTensor& running, const at::Tensor& value, double momentum) {
  if (!given(running)) return;
  running->mul_(1 - momentum).add_(value.to(running->scalar_type()), momentum);
}

}  // namespace

std::tuple<at::Tensor, at::Tensor> batch_norm_stats(const at::Tensor& x, double eps) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  auto [variance, mean] = at::var_mean(precise(x, x), all_but_channels(x), /*unbiased=*/false);
  return {std::move(mean), (variance + eps).rsqrt()};
}

std::tuple<at::Tensor, at::Tensor> batch_norm_gather_stats_with_counts(
    const at::Tensor& x, const at::Tensor& means, const at::Tensor& inverses,
    const OptionalTensor& running_mean, const OptionalTensor& running_variance, double momentum,
    double eps, const at::Tensor& counts) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const at::Tensor each = precise(counts, x).unsqueeze(1);  // [W, 1]
  const at::Tensor all = each.sum();
  const at::Tensor centres = precise(means, x);
  at::Tensor mean = (centres * each).sum(0) / all;
  const at::Tensor variances = precise(inverses, x).pow(-2) - eps;
  const at::Tensor variance = ((variances + (centres - mean).pow(2)) * each).sum(0) / all;
  move_running(running_mean, mean, momentum);
  move_running(running_variance, variance * all / (all - 1), momentum);
  return {std::move(mean), (variance + eps).rsqrt()};
}

at::Tensor batch_norm_elemt(const at::Tensor& x, const OptionalTensor& weight,
                            const OptionalTensor& bias, const at::Tensor& mean,
                            const at::Tensor& inverse, double /*eps*/) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  at::Tensor y = (precise(x, x) - beside(mean, x)) * beside(inverse, x);
  if (given(weight)) y = y * beside(*weight, x);
  if (given(bias)) y = y + beside(*bias, x);
  return y.to(x.scalar_type());
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> batch_norm_backward_reduce(
    const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& mean,
    const at::Tensor& inverse, const OptionalTensor& weight, bool for_input, bool for_weight,
    bool for_bias) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const at::Tensor dy = precise(gradient, x);
  const auto dimensions = all_but_channels(x);
  const at::Tensor sum = dy.sum(dimensions);
  const at::Tensor product_sum = (dy * (precise(x, x) - beside(mean, x))).sum(dimensions);
  const auto type = given(weight) ? weight->scalar_type() : sum.scalar_type();
  return {for_input ? sum : at::Tensor(), for_input ? product_sum : at::Tensor(),
          for_weight ? (product_sum * inverse).to(type) : at::Tensor(),
          for_bias ? sum.to(type, /*non_blocking=*/false, /*copy=*/true) : at::Tensor()};
}

at::Tensor batch_norm_backward_elemt(const at::Tensor& gradient, const at::Tensor& x,
                                     const at::Tensor& mean, const at::Tensor& inverse,
                                     const OptionalTensor& weight, const at::Tensor& sum,
                                     const at::Tensor& product_sum, const at::Tensor& counts) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const at::Tensor all = precise(counts, x).sum();
  const at::Tensor slope = precise(product_sum, x) / all * precise(inverse, x).pow(2);
  at::Tensor scale = precise(inverse, x);
  if (given(weight)) scale = scale * precise(*weight, x);
  const at::Tensor centred = precise(x, x) - beside(mean, x);
  const at::Tensor dx =
      precise(gradient, x) - beside(precise(sum, x) / all, x) - centred * beside(slope, x);
  return (dx * beside(scale, x)).to(x.scalar_type());
}

}  // namespace sidra::aten
