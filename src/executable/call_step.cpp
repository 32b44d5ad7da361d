#include <ATen/core/List.h>

#include "aten/ops/empty.h"
#include "executable/step.h"
#include "runtime/device.h"

namespace sidra::executable {
namespace {

bool shares_memory(const at::Tensor& result, const Frame& frame) {
  const auto same = [&](const at::Tensor& other) {
    return other.defined() &&
           other.storage().unsafeGetStorageImpl() == result.storage().unsafeGetStorageImpl();
  };
  if (same(frame.arena)) return true;
  for (const at::Tensor& output : frame.outputs) {
    if (same(output)) return true;
  }
  return false;
}

}  // namespace

CallStep::CallStep(c10::OperatorHandle op, std::vector<c10::IValue> arguments,
                   std::vector<TensorArgument> tensors, std::vector<int64_t> slots)
    : op_(std::move(op)),
      arguments_(std::move(arguments)),
      tensors_(std::move(tensors)),
      slots_(std::move(slots)) {}

void CallStep::run(Frame& frame, c10::DeviceIndex device) const {
  torch::jit::Stack stack = arguments_;
  for (const TensorArgument& each : tensors_) {
    at::Tensor tensor = frame.tensor(each.view);
    if (!each.item.has_value()) {
      stack[each.argument] = std::move(tensor);
      continue;
    }
    // Lists are shared by copies of an IValue: the first item makes a list of this run's own.
    if (*each.item == 0 || !stack[each.argument].isList()) {
      stack[each.argument] = stack[each.argument].toList().copy();
    }
    stack[each.argument].toList().set(*each.item, std::move(tensor));
  }
  op_.callBoxed(&stack);
  size_t position = 0;
  for (const c10::IValue& value : stack) {
    if (value.isTensorList()) {
      for (const at::Tensor& tensor : value.toTensorVector()) {
        keep(frame, tensor, position++, device);
      }
    } else {
      if (value.isTensor()) keep(frame, value.toTensor(), position, device);
      ++position;
    }
  }
}

void CallStep::keep(Frame& frame, const at::Tensor& result, size_t position,
                    c10::DeviceIndex device) const {
  if (position >= slots_.size() || slots_[position] < 0) return;
  // What an operator leaves undefined though its schema says tensor, others take as empty.
  if (!result.defined()) {
    frame.slots[static_cast<size_t>(slots_[position])] =
        aten::empty_result({0}, at::kFloat, c10::Device(runtime::kDeviceType, device));
    return;
  }
  at::Tensor dense = result.contiguous();
  // The arena's memory serves others after this step.
  if (shares_memory(dense, frame)) dense = dense.clone();
  frame.slots[static_cast<size_t>(slots_[position])] = std::move(dense);
}

}  // namespace sidra::executable
