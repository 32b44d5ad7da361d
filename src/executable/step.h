// The steps of a plan.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include "executable/frame.h"
#include "runtime/ledger.h"
#include "sidra/driver.h"

namespace sidra::executable {

class Step {
 public:
  Step() = default;
  virtual ~Step() = default;
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  virtual void run(Frame& frame, c10::DeviceIndex device) const = 0;
};

// Machine code over items, cut among PyTorch's threads; 1 says that an index was out of range.
using KernelFunction = int32_t (*)(void* const* buffers, const int64_t* symbols, int64_t begin,
                                   int64_t end);

struct KernelWork {
  uint64_t alu_operations, lookups, bytes_read, bytes_written;
};

class KernelStep : public Step {
 public:
  KernelStep(const std::string& name, KernelFunction function, std::vector<Place> buffers,
             std::vector<int64_t> symbols, int64_t extent, int64_t grain, const KernelWork& work);
  void run(Frame& frame, c10::DeviceIndex device) const override;

 private:
  const std::string name_;
  const KernelFunction function_;
  const std::vector<Place> buffers_;
  const std::vector<int64_t> symbols_;
  const int64_t extent_, grain_;
  const KernelWork work_;
  runtime::LedgerLine* const line_;
};

// x [vectors][inputs] times weight [outputs][inputs], plus bias, into result [vectors][outputs].
// Crossbars compute it where eager execution would let them, with the same bits.
class MvmStep : public Step {
 public:
  MvmStep(View x, View weight, std::optional<View> bias, View result, bool relu);
  void run(Frame& frame, c10::DeviceIndex device) const override;

 private:
  void run_exact(const Frame& frame, const at::Tensor& weight) const;

  const View x_, weight_;
  const std::optional<View> bias_;
  const View result_;
  const bool relu_;
  runtime::LedgerLine* const line_;
};

// softmax(scale * q k^T + mask) v into a slot: [batch][heads][rows][values], or, with heads_last,
// [batch][rows][heads][values].
class AttentionStep : public Step {
 public:
  AttentionStep(View q, View k, View v, std::optional<View> mask, std::optional<double> scale,
                bool causal, bool heads_last, int64_t slot);
  void run(Frame& frame, c10::DeviceIndex device) const override;

 private:
  const View q_, k_, v_;
  const std::optional<View> mask_;
  const std::optional<double> scale_;
  const bool causal_, heads_last_;
  const int64_t slot_;
};

// One tensor among the arguments of a call: which argument, and its place if that is a list.
struct TensorArgument {
  size_t argument;
  std::optional<size_t> item;
  View view;
};

// An operator, called as eager execution calls it. Its tensors go to slots, dense.
class CallStep : public Step {
 public:
  CallStep(c10::OperatorHandle op, std::vector<c10::IValue> arguments,
           std::vector<TensorArgument> tensors, std::vector<int64_t> slots);
  void run(Frame& frame, c10::DeviceIndex device) const override;

 private:
  void keep(Frame& frame, const at::Tensor& result, size_t position, c10::DeviceIndex device) const;

  const c10::OperatorHandle op_;
  const std::vector<c10::IValue> arguments_;  // tensors are missing
  const std::vector<TensorArgument> tensors_;
  const std::vector<int64_t> slots_;  // -1: nobody asks for it
};

}  // namespace sidra::executable
