#include "runtime/host_services.h"

#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm.h>

namespace sidra::runtime {
namespace {

void parallel_for(void*, uint64_t count, uint64_t grain, sidra_range_function body,
                  void* body_context) {
  at::parallel_for(0, static_cast<int64_t>(count), static_cast<int64_t>(grain),
                   [&](int64_t begin, int64_t end) {
                     body(body_context, static_cast<uint64_t>(begin), static_cast<uint64_t>(end));
                   });
}

at::Tensor matrix(const float* data, uint64_t rows, uint64_t columns, uint64_t stride) {
  const auto size = [](uint64_t value) { return static_cast<int64_t>(value); };
  return at::from_blob(const_cast<float*>(data), {size(rows), size(columns)}, {size(stride), 1},
                       at::TensorOptions().dtype(at::kFloat));
}

void matmul_f32(void*, const sidra_matmul_f32_args* args) {
  const at::AutoDispatchBelowAutograd below_autograd;
  at::Tensor output = matrix(args->output, args->rows, args->columns, args->output_stride);
  const at::Tensor left = matrix(args->left, args->rows, args->depth, args->left_stride);
  const at::Tensor right = matrix(args->right, args->columns, args->depth, args->right_stride);
  at::mm_out(output, left, right.t());
}

}  // namespace

const sidra_host_services* host_services() {
  static const sidra_host_services services{sizeof(sidra_host_services), nullptr, parallel_for,
                                            matmul_f32};
  return &services;
}

}  // namespace sidra::runtime
