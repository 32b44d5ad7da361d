#include <ATen/ops/scaled_dot_product_attention.h>

#include "executable/step.h"

namespace sidra::executable {

AttentionStep::AttentionStep(View q, View k, View v, std::optional<View> mask,
                             std::optional<double> scale, bool causal, bool heads_last,
                             int64_t slot)
    : q_(std::move(q)),
      k_(std::move(k)),
      v_(std::move(v)),
      mask_(std::move(mask)),
      scale_(scale),
      causal_(causal),
      heads_last_(heads_last),
      slot_(slot) {}

void AttentionStep::run(Frame& frame, c10::DeviceIndex) const {
  std::optional<at::Tensor> mask;
  if (mask_.has_value()) mask = frame.tensor(*mask_);
  const bool grouped = q_.sizes[1] != k_.sizes[1];
  const at::Tensor y = at::scaled_dot_product_attention(
      frame.tensor(q_), frame.tensor(k_), frame.tensor(v_), mask, 0.0, causal_, scale_, grouped);
  frame.slots[static_cast<size_t>(slot_)] = (heads_last_ ? y.transpose(1, 2) : y).contiguous();
}

}  // namespace sidra::executable
