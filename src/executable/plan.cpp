#include "executable/plan.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/DeviceGuard.h>

#include "aten/ops/empty.h"
#include "runtime/device.h"
#include "runtime/error.h"

namespace sidra::executable {
namespace {

c10::Device device_of(c10::DeviceIndex index) { return {runtime::kDeviceType, index}; }

// Bytes from a view's first element to behind its last.
int64_t extent_bytes(const View& view) {
  int64_t last = 0;
  for (size_t dim = 0; dim < view.sizes.size(); ++dim) {
    if (view.sizes[dim] == 0) return 0;
    last += (view.sizes[dim] - 1) * view.strides[dim];
  }
  return (last + 1) * static_cast<int64_t>(c10::elementSize(view.dtype));
}

int64_t bytes_of(const TensorSpec& spec) {
  int64_t elements = 1;
  for (int64_t size : spec.sizes) elements *= size;
  return elements * static_cast<int64_t>(c10::elementSize(spec.dtype));
}

}  // namespace

Plan::Plan(c10::DeviceIndex device, int64_t arena_bytes, std::vector<TensorSpec> inputs)
    : device_(device), arena_bytes_(arena_bytes), inputs_(std::move(inputs)) {}

int64_t Plan::add_output(TensorSpec spec) {
  outputs_.push_back(std::move(spec));
  return static_cast<int64_t>(outputs_.size()) - 1;
}

int64_t Plan::add_constant(at::Tensor tensor) {
  constants_.push_back(std::move(tensor));
  return static_cast<int64_t>(constants_.size()) - 1;
}

int64_t Plan::add_slot() { return slots_++; }

void Plan::set_results(std::vector<View> results) { results_ = std::move(results); }

void Plan::check(const View& view) const {
  const Place& place = view.place;
  const auto index = static_cast<size_t>(place.index);
  size_t buffers = 1;
  int64_t bytes = arena_bytes_;
  bool known = true;
  switch (place.kind) {
    case BufferKind::kInput:
      buffers = inputs_.size();
      if (index < buffers) bytes = bytes_of(inputs_[index]);
      // A weight keeps the strides that it has, so its memory is known at run time only.
      known = false;
      break;
    case BufferKind::kOutput:
      buffers = outputs_.size();
      if (index < buffers) bytes = bytes_of(outputs_[index]);
      break;
    case BufferKind::kConstant:
      buffers = constants_.size();
      if (index < buffers) bytes = static_cast<int64_t>(constants_[index].nbytes());
      break;
    case BufferKind::kSlot:
      buffers = static_cast<size_t>(slots_);
      known = false;
      break;
    case BufferKind::kArena:
      break;
  }
  const bool outside = place.offset < 0 || (known && place.offset + extent_bytes(view) > bytes);
  if (place.index < 0 || index >= buffers || outside) {
    runtime::raise(runtime::ErrorKind::kRuntime,
                   c10::str("a plan's view lies outside its buffer: ", view.text()));
  }
}

void Plan::check_inputs(const std::vector<at::Tensor>& inputs) const {
  if (inputs.size() != inputs_.size()) {
    runtime::raise(runtime::ErrorKind::kRuntime, c10::str("a compiled graph takes ", inputs_.size(),
                                                          " tensors, not ", inputs.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool fits = inputs[i].defined() && inputs[i].sizes() == inputs_[i].sizes &&
                      inputs[i].scalar_type() == inputs_[i].dtype &&
                      inputs[i].device() == device_of(device_);
    if (fits) continue;
    runtime::raise(
        runtime::ErrorKind::kRuntime,
        c10::str("a compiled graph takes as input ", i, " a tensor ", inputs_[i].dtype,
                 at::IntArrayRef(inputs_[i].sizes), " on ", device_of(device_), ", not ",
                 inputs[i].defined() ? c10::str(inputs[i].scalar_type(), inputs[i].sizes(), " on ",
                                                inputs[i].device())
                                     : std::string("none")));
  }
}

std::unique_ptr<Frame> Plan::take_frame() const {
  {
    const std::lock_guard lock(mutex_);
    if (!frames_.empty()) {
      std::unique_ptr<Frame> frame = std::move(frames_.back());
      frames_.pop_back();
      return frame;
    }
  }
  auto frame = std::make_unique<Frame>();
  if (arena_bytes_ > 0) {
    frame->arena = aten::empty_result({arena_bytes_}, at::kByte, device_of(device_));
  }
  frame->constants = &constants_;
  frame->slots.resize(static_cast<size_t>(slots_));
  return frame;
}

void Plan::give_back(std::unique_ptr<Frame> frame) const {
  frame->inputs.clear();
  frame->outputs.clear();
  for (at::Tensor& slot : frame->slots) slot.reset();
  const std::lock_guard lock(mutex_);
  frames_.push_back(std::move(frame));
}

std::vector<at::Tensor> Plan::run(std::vector<at::Tensor> inputs) const {
  check_inputs(inputs);
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const c10::DeviceGuard guard(device_of(device_));
  std::unique_ptr<Frame> frame = take_frame();
  frame->inputs = std::move(inputs);
  for (const TensorSpec& spec : outputs_) {
    frame->outputs.push_back(aten::empty_result(spec.sizes, spec.dtype, device_of(device_)));
  }
  for (const std::unique_ptr<Step>& step : steps_) step->run(*frame, device_);
  std::vector<at::Tensor> results;
  results.reserve(results_.size());
  for (const View& view : results_) results.push_back(frame->tensor(view));
  give_back(std::move(frame));
  return results;
}

}  // namespace sidra::executable
