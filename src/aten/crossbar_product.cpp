#include "aten/crossbar_product.h"

#include <torch/csrc/autograd/node.h>
#include <torch/csrc/autograd/variable.h>

#include "aten/ops/empty.h"
#include "runtime/allocator.h"
#include "runtime/device.h"
#include "runtime/driver_loader.h"
#include "runtime/error.h"
#include "runtime/stream.h"
#include "runtime/submission.h"

namespace sidra::aten {
namespace {

uint64_t address(const at::Tensor& tensor) {
  return reinterpret_cast<uint64_t>(tensor.const_data_ptr());
}

// A gradient formula of PyTorch's own, as opposed to a forward that runs inside a backward
// (checkpointing enables gradients for its recomputation).
bool in_gradient_formula() {
  const auto node = torch::autograd::get_current_node();
  if (node == nullptr || at::GradMode::is_enabled()) return false;
  return dynamic_cast<torch::autograd::TraceableFunction*>(node.get()) != nullptr ||
         node->name() == "CompiledFunctionBackward";  // torch.compile's, for a graph of formulas
}

bool is_trained(const at::Tensor& tensor) {
  const auto* const view = torch::autograd::impl::get_view_autograd_meta(tensor);
  if (view == nullptr || !view->has_bw_view()) return tensor.requires_grad() && tensor.is_leaf();
  const at::TensorBase base = view->get_backward_view().base_;
  return base.requires_grad() && base.is_leaf();
}

}  // namespace

bool is_weight(const at::Tensor& tensor) {
  const runtime::Block* const block = runtime::block_of(*tensor.storage().unsafeGetStorageImpl());
  if (block == nullptr) return false;
  return !block->computed.load(std::memory_order_relaxed) || is_trained(tensor);
}

bool crossbars_apply(const at::Tensor& weight) {
  if (weight.device().type() != runtime::kDeviceType || weight.numel() == 0) return false;
  const at::ScalarType type = weight.scalar_type();
  if (type != at::kFloat && type != at::kHalf && type != at::kBFloat16) return false;
  return runtime::device_properties(weight.device().index()).crossbars > 0 &&
         !in_gradient_formula() && is_weight(weight);
}

BlockOfVectors input_vectors(const at::Tensor& matrix) {
  at::Tensor vectors = matrix.to(at::kFloat);
  const bool rows_apart = vectors.size(0) <= 1 || vectors.stride(0) >= vectors.size(1);
  if ((vectors.stride(1) != 1 && vectors.size(1) > 1) || !rows_apart) {
    vectors = vectors.contiguous();
  }
  const auto stride = static_cast<uint64_t>(std::max(vectors.stride(0), vectors.size(1)));
  const uint64_t start = address(vectors);
  return {std::move(vectors), start, stride};
}

void submit_mvm(c10::DeviceIndex device, const runtime::WeightSource& weight, const MvmCall& call,
                runtime::LedgerLine* line) {
  const runtime::ResidentPointer resident = runtime::make_resident(weight);
  sidra_mvm_args args{};
  args.struct_size = sizeof(args);
  args.weight = runtime::weight_handle(*resident);
  args.vectors = call.vectors;
  args.input = call.input;
  args.input_stride = call.input_stride;
  args.output = call.output;
  args.output_stride = call.output_stride;
  args.bias = call.bias;
  args.activation = call.activation;
  const runtime::Submission submission(line, device);
  SIDRA_CHECK(runtime::driver().table->mvm(runtime::current_stream_handle(device), &args),
              c10::str("multiplying ", call.vectors, " vectors by a weight of shape ",
                       weight.tensor.sizes()));
  submission.book(args.cost, 0);
}

at::Tensor crossbar_product(const at::Tensor& input, const at::Tensor& matrix,
                            const std::optional<at::Tensor>& bias, runtime::LedgerLine* line) {
  const c10::DeviceGuard guard(input.device());
  const BlockOfVectors vectors = input_vectors(input);
  at::Tensor bias_values;
  if (bias.has_value()) bias_values = bias->to(at::kFloat).contiguous();
  const at::Tensor output =
      empty_result({input.size(0), matrix.size(0)}, at::kFloat, input.device());
  const runtime::WeightSource weight{matrix, 0, [&] { return matrix.to(at::kFloat); }};
  submit_mvm(
      input.device().index(), weight,
      {static_cast<uint64_t>(input.size(0)), vectors.address, vectors.stride, address(output),
       static_cast<uint64_t>(matrix.size(0)), bias.has_value() ? address(bias_values) : 0},
      line);
  return output.to(input.scalar_type());
}

}  // namespace sidra::aten
