#include "aten/ops/attention.h"

#include <ATen/SDPBackend.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h>

#include "aten/host_operands.h"
#include "aten/operator_info.h"
#include "aten/work.h"

namespace sidra::aten {
namespace {

const OperatorInfo& info_of(const char* name) {
  return operator_info(c10::Dispatcher::singleton().findSchemaOrThrow(name, ""));
}

// Sizes are compared as PyTorch's tracing needs it: they may be symbols.
bool same_size(const at::Tensor& left, const at::Tensor& right, int64_t dim) {
  return TORCH_GUARD_OR_FALSE(left.sym_size(dim).sym_eq(right.sym_size(dim)));
}

bool is_empty(const at::Tensor& tensor) {
  return TORCH_GUARD_OR_FALSE(tensor.sym_numel().sym_eq(0));
}

// Under vmap the operator is composed: the fused one has no batching rule.
bool is_batched(const at::Tensor& tensor) {
  return tensor.key_set().has(c10::DispatchKey::FuncTorchBatched);
}

// The CPU kernels read a vector as values side by side, whatever its stride.
at::Tensor side_by_side(const at::Tensor& tensor) {
  return tensor.stride(-1) == 1 || tensor.size(-1) == 1 ? tensor : tensor.contiguous();
}

}  // namespace

int64_t choose_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                         const std::optional<at::Tensor>& attn_mask, double dropout_p,
                         bool is_causal, std::optional<double>, bool enable_gqa) {
  const auto composite = static_cast<int64_t>(at::SDPBackend::math);
  // What the fused CPU kernel takes; a mask that wants a gradient needs the composite form.
  const bool plain = query.dim() == 4 && key.dim() == 4 && value.dim() == 4 && !enable_gqa &&
                     dropout_p == 0.0 && !query.is_nested() && !is_batched(query) &&
                     !is_batched(key) && !is_batched(value) && !is_empty(query) && !is_empty(key) &&
                     same_size(query, value, -1) && same_size(query, key, 1) &&
                     same_size(query, value, 1) && same_size(query, key, 0) &&
                     same_size(query, value, 0);
  const at::ScalarType type = query.scalar_type();
  const bool floating =
      type == at::kFloat || type == at::kDouble || type == at::kHalf || type == at::kBFloat16;
  const bool mask_fits =
      !attn_mask.has_value() || !attn_mask->defined() ||
      (!attn_mask->requires_grad() && (attn_mask->dim() == 2 || attn_mask->dim() == 4) &&
       (attn_mask->scalar_type() == type || attn_mask->scalar_type() == at::kBool));
  const bool one_mask = !is_causal || !attn_mask.has_value();
  return plain && floating && mask_fits && one_mask && query.scalar_type() == key.scalar_type() &&
                 query.scalar_type() == value.scalar_type()
             ? static_cast<int64_t>(at::SDPBackend::overrideable)
             : composite;
}

FusedAttention fused_attention(const at::Tensor& query, const at::Tensor& key,
                               const at::Tensor& value, const std::optional<at::Tensor>& attn_bias,
                               double dropout_p, bool is_causal, bool,
                               std::optional<double> scale) {
  static const OperatorInfo& info = info_of("aten::_scaled_dot_product_flash_attention_for_cpu");
  HostOperands host(query.device());
  auto [output, logsumexp] = at::_scaled_dot_product_flash_attention_for_cpu(
      host.open(side_by_side(query)), host.open(side_by_side(key)), host.open(side_by_side(value)),
      dropout_p, is_causal, host.open(attn_bias), scale);
  output = host.close(std::move(output));
  logsumexp = host.close(std::move(logsumexp));
  host.finish();
  Work work = host.work();
  work.softmax_elements = static_cast<uint64_t>(query.numel() / query.size(-1) * key.size(-2));
  work.multiply_adds = 2 * work.softmax_elements * static_cast<uint64_t>(query.size(-1));
  account(info, query.device(), work);
  return {std::move(output), std::move(logsumexp), at::Tensor(), at::Tensor(), query.sym_size(-2),
          key.sym_size(-2),  at::Tensor(),         at::Tensor(), at::Tensor()};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> fused_attention_backward(
    const at::Tensor& grad_out, const at::Tensor& query, const at::Tensor& key,
    const at::Tensor& value, const at::Tensor& attn_bias, std::array<bool, 4>,
    const at::Tensor& out, const at::Tensor& logsumexp, const at::Tensor&, const at::Tensor&,
    c10::SymInt, c10::SymInt, double dropout_p, bool is_causal, const at::Tensor&,
    const at::Tensor&, std::optional<double> scale) {
  static const OperatorInfo& info =
      info_of("aten::_scaled_dot_product_fused_attention_overrideable_backward");
  HostOperands host(query.device());
  const std::optional<at::Tensor> mask =
      attn_bias.defined() ? std::make_optional(host.open(attn_bias)) : std::nullopt;
  auto [grad_query, grad_key, grad_value] =
      at::_scaled_dot_product_flash_attention_for_cpu_backward(
          host.open(side_by_side(grad_out)), host.open(side_by_side(query)),
          host.open(side_by_side(key)), host.open(side_by_side(value)),
          host.open(side_by_side(out)), host.open(logsumexp), dropout_p, is_causal, mask, scale);
  std::tuple result{host.close(std::move(grad_query)), host.close(std::move(grad_key)),
                    host.close(std::move(grad_value)), at::Tensor()};
  host.finish();
  account(info, query.device(), host.work());
  return result;
}

}  // namespace sidra::aten
