#include "executable/plan.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <limits>

#include "aten/ops/empty.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/stream.h"

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
    : device_(device),
      arena_bytes_(arena_bytes),
      inputs_(std::move(inputs)),
      is_dense_(inputs_.size()) {
  if (arena_bytes < 0) {
    runtime::raise(runtime::ErrorKind::kValue,
                   c10::str("a plan cannot have an arena of ", arena_bytes, " bytes"));
  }
}

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

void Plan::check_slot(int64_t slot) const {
  if (slot >= 0 && slot < slots_) return;
  runtime::raise(runtime::ErrorKind::kValue,
                 c10::str("a plan with ", slots_, " slots has no slot ", slot));
}

void Plan::check(const View& view, bool is_weight) {
  const Place& place = view.place;
  const auto index = static_cast<size_t>(place.index);
  size_t buffers = 1;
  int64_t bytes = arena_bytes_;
  switch (place.kind) {
    case BufferKind::kInput:
      buffers = inputs_.size();
      if (place.index >= 0 && index < buffers) {
        bytes = bytes_of(inputs_[index]);
        if (!is_weight) is_dense_[index] = true;
      }
      break;
    case BufferKind::kOutput:
      buffers = outputs_.size();
      if (place.index >= 0 && index < buffers) bytes = bytes_of(outputs_[index]);
      break;
    case BufferKind::kConstant:
      buffers = constants_.size();
      if (place.index >= 0 && index < buffers) {
        bytes = static_cast<int64_t>(constants_[index].nbytes());
      }
      break;
    case BufferKind::kSlot:
      buffers = static_cast<size_t>(slots_);
      bytes = std::numeric_limits<int64_t>::max();  // what a step makes is known at run time
      break;
    case BufferKind::kArena:
      break;
  }
  const auto negative = [](int64_t value) { return value < 0; };
  const bool is_wrong = std::any_of(view.sizes.begin(), view.sizes.end(), negative) ||
                        std::any_of(view.strides.begin(), view.strides.end(), negative);
  const bool outside = place.offset < 0 || is_wrong || place.offset > bytes ||
                       extent_bytes(view) > bytes - place.offset;
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
                      (!is_dense_[i] || inputs[i].is_contiguous()) &&
                      inputs[i].scalar_type() == inputs_[i].dtype &&
                      inputs[i].device() == device_of(device_);
    if (fits) continue;
    runtime::raise(
        runtime::ErrorKind::kRuntime,
        c10::str("a compiled graph takes as input ", i,
                 is_dense_[i] ? " a dense tensor " : " a tensor ", inputs_[i].dtype,
                 at::IntArrayRef(inputs_[i].sizes), " on ", device_of(device_), ", not ",
                 inputs[i].defined()
                     ? c10::str(inputs[i].scalar_type(), inputs[i].sizes(), " with strides ",
                                inputs[i].strides(), " on ", inputs[i].device())
                     : std::string("none")));
  }
}

std::unique_ptr<Frame> Plan::take_frame(int64_t stream) const {
  {
    const std::lock_guard lock(mutex_);
    std::vector<std::unique_ptr<Frame>>& idle = frames_[stream];
    if (!idle.empty()) {
      std::unique_ptr<Frame> frame = std::move(idle.back());
      idle.pop_back();
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

void Plan::give_back(int64_t stream, std::unique_ptr<Frame> frame) const {
  frame->inputs.clear();
  frame->outputs.clear();
  for (at::Tensor& slot : frame->slots) slot.reset();
  const std::lock_guard lock(mutex_);
  frames_[stream].push_back(std::move(frame));
}

std::vector<at::Tensor> Plan::run(std::vector<at::Tensor> inputs) const {
  check_inputs(inputs);
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const c10::DeviceGuard guard(device_of(device_));
  const int64_t stream = runtime::current_stream(device_).id();
  std::unique_ptr<Frame> frame = take_frame(stream);
  frame->inputs = std::move(inputs);
  try {
    std::vector<at::Tensor> results = run_in(*frame);
    give_back(stream, std::move(frame));
    return results;
  } catch (...) {
    runtime::wait_for_current_stream(device_);  // before what its commands use is freed
    throw;
  }
}

std::vector<at::Tensor> Plan::run_in(Frame& frame) const {
  for (const TensorSpec& spec : outputs_) {
    frame.outputs.push_back(aten::empty_result(spec.sizes, spec.dtype, device_of(device_)));
  }
  for (const std::unique_ptr<Step>& step : steps_) step->run(frame, device_);
  std::vector<at::Tensor> results;
  results.reserve(results_.size());
  for (const View& view : results_) results.push_back(frame.tensor(view));
  return results;
}

}  // namespace sidra::executable
