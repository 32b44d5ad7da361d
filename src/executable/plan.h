// A compiled graph with every size known: steps in order, and the memory that they share.
#pragma once

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

  // Raises RuntimeError, naming the view, when it reaches outside its buffer.
  void check(const View& view) const;

  // Several threads may run a plan at the same time.
  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const;

  int64_t arena_bytes() const { return arena_bytes_; }
  size_t steps() const { return steps_.size(); }
  c10::DeviceIndex device() const { return device_; }

 private:
  void check_inputs(const std::vector<at::Tensor>& inputs) const;
  std::unique_ptr<Frame> take_frame() const;
  void give_back(std::unique_ptr<Frame> frame) const;

  const c10::DeviceIndex device_;
  const int64_t arena_bytes_;
  const std::vector<TensorSpec> inputs_;
  std::vector<TensorSpec> outputs_;
  std::vector<at::Tensor> constants_;
  int64_t slots_ = 0;
  std::vector<std::unique_ptr<Step>> steps_;
  std::vector<View> results_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Frame>> frames_;  // idle
};

}  // namespace sidra::executable
