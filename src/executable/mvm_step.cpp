#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/relu.h>

#include "aten/crossbar_product.h"
#include "executable/step.h"

namespace sidra::executable {
namespace {

// An argument that is a weight keeps the strides that it has, by which eager execution knows it.
at::Tensor weight_of(const Frame& frame, const View& view) {
  const at::Tensor& base = frame.buffer(view.place);
  const bool is_whole = view.place.kind == BufferKind::kInput && view.place.offset == 0 &&
                        base.sizes() == view.sizes && view.strides[1] == 1 &&
                        view.strides[0] == view.sizes[1];
  return is_whole ? base : frame.tensor(view);
}

}  // namespace

MvmStep::MvmStep(View x, View weight, std::optional<View> bias, View result, bool relu)
    : x_(std::move(x)),
      weight_(std::move(weight)),
      bias_(std::move(bias)),
      result_(std::move(result)),
      relu_(relu),
      line_(runtime::ledger_line("aten::addmm", runtime::Place::kCrossbar, "")) {}

void MvmStep::run(Frame& frame, c10::DeviceIndex device) const {
  if (x_.sizes[0] == 0 || result_.sizes[1] == 0) return;
  const at::Tensor weight = weight_of(frame, weight_);
  if (x_.sizes[1] == 0 || !aten::crossbars_apply(weight)) return run_exact(frame, weight);
  const auto address = [&](const View& view) {
    return reinterpret_cast<uint64_t>(frame.address(view.place));
  };
  aten::MvmCall call{};
  call.vectors = static_cast<uint64_t>(x_.sizes[0]);
  call.input = address(x_);
  call.input_stride = static_cast<uint64_t>(x_.strides[0]);
  call.output = address(result_);
  call.output_stride = static_cast<uint64_t>(result_.strides[0]);
  call.bias = bias_.has_value() ? address(*bias_) : 0;
  call.activation = relu_ ? SIDRA_ACTIVATION_RELU : SIDRA_ACTIVATION_NONE;
  const runtime::WeightSource source{weight, 0, [&] { return weight.to(at::kFloat); }};
  aten::submit_mvm(device, source, call, line_);
}

void MvmStep::run_exact(const Frame& frame, const at::Tensor& weight) const {
  const at::Tensor x = frame.tensor(x_);
  at::Tensor y =
      bias_.has_value() ? at::addmm(frame.tensor(*bias_), x, weight.t()) : at::mm(x, weight.t());
  if (relu_) y = at::relu(y);
  frame.tensor(result_).copy_(y);
}

}  // namespace sidra::executable
