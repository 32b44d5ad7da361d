// Scaled dot-product attention: PyTorch's fused CPU kernel, booked on the compute engines.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <tuple>

namespace sidra::aten {

// Results of aten::_scaled_dot_product_fused_attention_overrideable; the sequence and random-state
// fields of other devices stay undefined.
using FusedAttention = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, c10::SymInt,
                                  c10::SymInt, at::Tensor, at::Tensor, at::Tensor>;

// Asked through a dispatch stub: the fused form where the CPU has it, else the composite one.
int64_t choose_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                         const std::optional<at::Tensor>& attn_mask, double dropout_p,
                         bool is_causal, std::optional<double> scale, bool enable_gqa);

FusedAttention fused_attention(const at::Tensor& query, const at::Tensor& key,
                               const at::Tensor& value, const std::optional<at::Tensor>& attn_bias,
                               double dropout_p, bool is_causal, bool return_debug_mask,
                               std::optional<double> scale);

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> fused_attention_backward(
    const at::Tensor& grad_out, const at::Tensor& query, const at::Tensor& key,
    const at::Tensor& value, const at::Tensor& attn_bias, std::array<bool, 4> grad_input_mask,
    const at::Tensor& out, const at::Tensor& logsumexp, const at::Tensor& cum_seq_q,
    const at::Tensor& cum_seq_k, c10::SymInt max_q, c10::SymInt max_k, double dropout_p,
    bool is_causal, const at::Tensor& philox_seed, const at::Tensor& philox_offset,
    std::optional<double> scale);

}  // namespace sidra::aten
