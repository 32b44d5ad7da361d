// A collective under way on host copies of device tensors.
//
// The transport works on the host copies; when it is done they are copied back, in the transport's
// own thread for collectives (so that a future completes by itself), in the caller's wait() for
// send and receive, whose work objects have no future.
#pragma once

#include <memory>
#include <mutex>
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <vector>

namespace sidra::distributed {

// Host copies of tensors, and the way back.
class Staging {
 public:
  // A host tensor of the same shape and values.
  at::Tensor in(const at::Tensor& tensor);
  // The same, of undefined values in `out`, to be copied back into `tensor` at the end.
  at::Tensor in_out(const at::Tensor& tensor);
  at::Tensor out(const at::Tensor& tensor);
  // Copy `host`, of as many elements, into `tensor` at the end.
  void write(const at::Tensor& tensor, const at::Tensor& host);

  void copy_back() const;
  // The device tensors that are written, in the order in which they were staged.
  std::vector<at::Tensor> results() const;

 private:
  std::vector<at::Tensor> inputs_;  // alive until the transport has read them
  std::vector<std::pair<at::Tensor, at::Tensor>> written_;  // device, host
};

// Of a transport whose work has a future: all collectives.
class StagedCollective : public c10d::Work {
 public:
  StagedCollective(c10::intrusive_ptr<c10d::Work> transport, c10d::OpType type, Staging staging);

  bool wait(std::chrono::milliseconds timeout) override;
  void synchronize() override;
  bool isCompleted() override;
  bool isSuccess() const override;
  std::exception_ptr exception() const override;
  std::vector<at::Tensor> result() override;
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override;

 private:
  c10::intrusive_ptr<c10d::Work> transport_;
  std::vector<at::Tensor> results_;
  c10::intrusive_ptr<c10::ivalue::Future> future_;
};

// Of send, receive and barrier: done when somebody waits.
class StagedTransfer : public c10d::Work {
 public:
  StagedTransfer(c10::intrusive_ptr<c10d::Work> transport, c10d::OpType type, Staging staging);

  bool wait(std::chrono::milliseconds timeout) override;
  bool isCompleted() override;
  bool isSuccess() const override;
  int sourceRank() const override;
  void abort() override;
  std::vector<at::Tensor> result() override;

 private:
  c10::intrusive_ptr<c10d::Work> transport_;
  Staging staging_;
  std::once_flag copied_back_;
};

}  // namespace sidra::distributed
