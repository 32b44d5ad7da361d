// torch.autocast("sidra"): the same operators in the same types as on CUDA, by PyTorch's own lists.
#include <ATen/Operators.h>
#include <ATen/autocast_mode.h>
#include <torch/library.h>

// PyTorch's macros name its types without their namespace.
namespace at {
namespace {

// Operators without a policy run as they are.
TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m) { m.fallback(torch::CppFunction::makeFallthrough()); }

#define LOWER_PRECISION(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, lower_precision_fp)
#define FLOAT32(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)
#define FLOAT32_UNLESS_ASKED(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32_set_opt_dtype)
#define FLOAT32_APPENDED(...) KERNEL_DIFFERENT_REDISPATCH_SIGNATURE_PRIVATEUSEONE(__VA_ARGS__)
#define WIDEST(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, promote)

// Probabilities in float16 leave its logarithm infinite; CUDA refuses it too.
Tensor refuse_binary_cross_entropy(const Tensor&, const Tensor&, const std::optional<Tensor>&,
                                   int64_t) {
  TORCH_CHECK(false,
              "binary_cross_entropy and BCELoss are unsafe to autocast; leave the sigmoid before "
              "them out and use binary_cross_entropy_with_logits or BCEWithLogitsLoss, which are "
              "safe");
}

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {
  m.impl("binary_cross_entropy", &refuse_binary_cross_entropy);
  AT_FORALL_LOWER_PRECISION_FP(LOWER_PRECISION)
  AT_FORALL_FP32(FLOAT32)
  AT_FORALL_FP32_SET_OPT_DTYPE(FLOAT32_UNLESS_ASKED)
  AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(FLOAT32_APPENDED)
  AT_FORALL_PROMOTE(WIDEST)
}

}  // namespace
}  // namespace at
