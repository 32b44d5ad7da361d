#include "aten/ops/linear.h"

#include <ATen/ExpandUtils.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/bmm_ops.h>
#include <ATen/ops/mm_ops.h>
#include <ATen/ops/mv_ops.h>

#include "aten/crossbar_product.h"
#include "aten/fallback.h"

namespace sidra::aten {
namespace {

using runtime::LedgerLine;
using runtime::Place;

LedgerLine* crossbar_line(const char* name) {
  return runtime::ledger_line(name, Place::kCrossbar, "");
}

// left [m][k], right [k][n]: whether crossbars compute left x right, right being the weight.
bool right_is_resident(const at::Tensor& left, const at::Tensor& right) {
  return left.dim() == 2 && right.dim() == 2 && left.device() == right.device() &&
         left.scalar_type() == right.scalar_type() && left.size(1) == right.size(0) &&
         left.numel() > 0 && crossbars_apply(right);
}

// ... or the left one, with an activation on its right: computed transposed.
bool left_is_resident(const at::Tensor& left, const at::Tensor& right) {
  return left.dim() == 2 && right.dim() == 2 && left.device() == right.device() &&
         left.scalar_type() == right.scalar_type() && left.size(1) == right.size(0) &&
         right.numel() > 0 && !is_weight(right) && crossbars_apply(left);
}

bool is_row(const at::Tensor& bias, const at::Tensor& product_left, int64_t columns) {
  return bias.device() == product_left.device() && bias.dim() == 1 && bias.size(0) == columns &&
         bias.scalar_type() == product_left.scalar_type();
}

bool addend_fits(const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2) {
  return self.device() == mat1.device() && self.scalar_type() == mat1.scalar_type() &&
         at::is_expandable_to(self.sizes(), {mat1.size(0), mat2.size(1)});
}

at::Tensor product(const at::Tensor& left, const at::Tensor& right,
                   const std::optional<at::Tensor>& bias, LedgerLine* line) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  return crossbar_product(left, right.t(), bias, line);
}

// beta * self + alpha * product, where the weight's epilogue cannot add it.
at::Tensor scaled_sum(const at::Tensor& self, const at::Tensor& product, const at::Scalar& beta,
                      const at::Scalar& alpha) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const at::Tensor scaled = alpha.equal(1) ? product : product.mul(alpha);
  return beta.equal(0) ? scaled : scaled.add(self, beta);
}

at::Tensor& move_to(at::Tensor& out, const at::Tensor& result) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  if (out.sizes() != result.sizes()) out.resize_(result.sizes());
  return out.copy_(result);
}

}  // namespace

at::Tensor mm(const at::Tensor& self, const at::Tensor& mat2) {
  static LedgerLine* const line = crossbar_line("aten::mm");
  if (right_is_resident(self, mat2)) return product(self, mat2, std::nullopt, line);
  if (left_is_resident(self, mat2)) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    return crossbar_product(mat2.t(), self, std::nullopt, line).t().contiguous();
  }
  return to_fallback<at::_ops::mm>::call(self, mat2);
}

at::Tensor& mm_out(const at::Tensor& self, const at::Tensor& mat2, at::Tensor& out) {
  if (out.device() == self.device() && out.scalar_type() == self.scalar_type() &&
      (right_is_resident(self, mat2) || left_is_resident(self, mat2))) {
    return move_to(out, aten::mm(self, mat2));
  }
  return to_fallback<at::_ops::mm_out>::call(self, mat2, out);
}

at::Tensor addmm(const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2,
                 const at::Scalar& beta, const at::Scalar& alpha) {
  static LedgerLine* const line = crossbar_line("aten::addmm");
  if (!right_is_resident(mat1, mat2) || !addend_fits(self, mat1, mat2)) {
    return to_fallback<at::_ops::addmm>::call(self, mat1, mat2, beta, alpha);
  }
  if (is_row(self, mat1, mat2.size(1)) && beta.equal(1) && alpha.equal(1)) {
    return product(mat1, mat2, self, line);
  }
  return scaled_sum(self, product(mat1, mat2, std::nullopt, line), beta, alpha);
}

at::Tensor& addmm_out(const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2,
                      const at::Scalar& beta, const at::Scalar& alpha, at::Tensor& out) {
  if (out.device() == mat1.device() && out.scalar_type() == mat1.scalar_type() &&
      right_is_resident(mat1, mat2) && addend_fits(self, mat1, mat2)) {
    return move_to(out, aten::addmm(self, mat1, mat2, beta, alpha));
  }
  return to_fallback<at::_ops::addmm_out>::call(self, mat1, mat2, beta, alpha, out);
}

at::Tensor& addmm_(at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2,
                   const at::Scalar& beta, const at::Scalar& alpha) {
  return addmm_out(self, mat1, mat2, beta, alpha, self);
}

// `matmul` expands a weight over the batch when it cannot fold the batch into the rows.
at::Tensor bmm(const at::Tensor& self, const at::Tensor& mat2) {
  static LedgerLine* const line = crossbar_line("aten::bmm");
  const bool one_matrix = self.dim() == 3 && mat2.dim() == 3 && self.size(0) == mat2.size(0) &&
                          self.size(0) > 1 && mat2.stride(0) == 0;
  if (one_matrix) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    const at::Tensor rows = self.reshape({self.size(0) * self.size(1), self.size(2)});
    const at::Tensor weight = mat2.select(0, 0);
    if (right_is_resident(rows, weight)) {
      return product(rows, weight, std::nullopt, line)
          .view({self.size(0), self.size(1), mat2.size(2)});
    }
  }
  return to_fallback<at::_ops::bmm>::call(self, mat2);
}

at::Tensor mv(const at::Tensor& self, const at::Tensor& vec) {
  static LedgerLine* const line = crossbar_line("aten::mv");
  const bool fits = self.dim() == 2 && vec.dim() == 1 && self.device() == vec.device() &&
                    self.scalar_type() == vec.scalar_type() && self.size(1) == vec.size(0);
  if (fits && crossbars_apply(self)) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    return crossbar_product(vec.unsqueeze(0), self, std::nullopt, line).squeeze(0);
  }
  return to_fallback<at::_ops::mv>::call(self, vec);
}

}  // namespace sidra::aten
