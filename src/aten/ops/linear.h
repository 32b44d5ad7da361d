// Matrix products. A product with a weight runs on crossbars; one of two activations, or one that
// no converter path takes, goes to the fallback, which books it on the compute engines.
#pragma once

#include <ATen/core/Tensor.h>

namespace sidra::aten {

at::Tensor mm(const at::Tensor& self, const at::Tensor& mat2);
at::Tensor& mm_out(const at::Tensor& self, const at::Tensor& mat2, at::Tensor& out);
at::Tensor addmm(const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2,
                 const at::Scalar& beta, const at::Scalar& alpha);
at::Tensor& addmm_out(const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2,
                      const at::Scalar& beta, const at::Scalar& alpha, at::Tensor& out);
at::Tensor& addmm_(at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2,
                   const at::Scalar& beta, const at::Scalar& alpha);
at::Tensor bmm(const at::Tensor& self, const at::Tensor& mat2);
at::Tensor mv(const at::Tensor& self, const at::Tensor& vec);

}  // namespace sidra::aten
