// A compiled graph with every size known: steps in order, and the memory that they share.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "executable/step.h"

namespace sidra::executable {

struct TensorSpec {
  std::vector<int64_t> sizes;
  at::ScalarType dtype;
};

class Plan {
 public:
  Plan(c10::DeviceIndex device, int64_t arena_bytes, std::vector<TensorSpec> inputs);

  // Building; none of it while the plan runs.
  int64_t add_output(TensorSpec spec);  // a dense tensor, made anew in every run
  int64_t add_constant(at::Tensor tensor);
  int64_t add_slot();
  void add_step(std::unique_ptr<Step> step) { steps_.push_back(std::move(step)); }
  void set_results(std::vector<View> results);

  // Raises RuntimeError, naming the view, when it reaches outside its buffer. An input that is read
  // through a view must be dense in every run; one that is only a weight keeps its strides.
  void check(const View& view, bool is_weight = false);
  void check_slot(int64_t slot) const;

  // Several threads may run a plan at the same time.
  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const;

  int64_t arena_bytes() const { return arena_bytes_; }
  size_t steps() const { return steps_.size(); }
  c10::DeviceIndex device() const { return device_; }

 private:
  void check_inputs(const std::vector<at::Tensor>& inputs) const;
  std::unique_ptr<Frame> take_frame(int64_t stream) const;
  void give_back(int64_t stream, std::unique_ptr<Frame> frame) const;
  std::vector<at::Tensor> run_in(Frame& frame) const;

  const c10::DeviceIndex device_;
  const int64_t arena_bytes_;
  const std::vector<TensorSpec> inputs_;
  std::vector<bool> is_dense_;  // of the inputs: read through views
  std::vector<TensorSpec> outputs_;
  std::vector<at::Tensor> constants_;
  int64_t slots_ = 0;
  std::vector<std::unique_ptr<Step>> steps_;
  std::vector<View> results_;
  mutable std::mutex mutex_;
  // Idle frames by stream: commands of the last run may still use a frame, and only its own stream
  // comes after them.
  mutable std::map<int64_t, std::vector<std::unique_ptr<Frame>>> frames_;
};

}  // namespace sidra::executable
