#include "distributed/staged_work.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <utility>

namespace sidra::distributed {
namespace {

using c10::ivalue::Future;

// Whatever reads or writes `tensor` on its current stream comes before what we do to it elsewhere.
void wait_for_stream(const at::Tensor& tensor) {
  if (tensor.is_cpu()) return;
  const c10::impl::VirtualGuardImpl guard(tensor.device().type());
  guard.synchronizeStream(guard.getStream(tensor.device()));
}

at::Tensor empty_on_host(const at::Tensor& tensor) {
  wait_for_stream(tensor);
  return at::empty(tensor.sizes(), tensor.options().device(c10::kCPU).requires_grad(false));
}

c10::intrusive_ptr<Future> after(Future& transport, Staging staging) {
  const auto type = c10::ListType::create(c10::TensorType::get());
  return transport.then(
      [staging = std::move(staging)](Future& done) -> c10::IValue {
        done.value();  // throws what the transport failed with
        staging.copy_back();
        return staging.results();
      },
      type);
}

}  // namespace

at::Tensor Staging::in(const at::Tensor& tensor) {
  const at::NoGradGuard no_grad;
  at::Tensor host = empty_on_host(tensor);
  host.copy_(tensor);
  inputs_.push_back(host);
  return host;
}

at::Tensor Staging::in_out(const at::Tensor& tensor) {
  at::Tensor host = in(tensor);
  write(tensor, host);
  return host;
}

at::Tensor Staging::out(const at::Tensor& tensor) {
  at::Tensor host = empty_on_host(tensor);
  write(tensor, host);
  return host;
}

void Staging::write(const at::Tensor& tensor, const at::Tensor& host) {
  written_.emplace_back(tensor, host.view(tensor.sizes()));
}

void Staging::copy_back() const {
  const at::NoGradGuard no_grad;
  for (const auto& [device, host] : written_) {
    device.detach().copy_(host);
    wait_for_stream(device);
  }
}

std::vector<at::Tensor> Staging::results() const {
  std::vector<at::Tensor> devices;
  for (const auto& [device, host] : written_) devices.push_back(device);
  return devices;
}

StagedCollective::StagedCollective(c10::intrusive_ptr<c10d::Work> transport, c10d::OpType type,
                                   Staging staging)
    : Work(-1, type),
      transport_(std::move(transport)),
      results_(staging.results()),
      future_(after(*transport_->getFuture(), std::move(staging))) {}

bool StagedCollective::wait(std::chrono::milliseconds timeout) {
  if (timeout != kNoTimeout) transport_->wait(timeout);  // throws when the time is over
  future_->waitAndThrow();
  return true;
}

// The copy back has waited for its stream: nothing is left to order.
void StagedCollective::synchronize() { future_->waitAndThrow(); }

bool StagedCollective::isCompleted() { return future_->completed(); }

bool StagedCollective::isSuccess() const { return future_->completed() && !future_->hasError(); }

std::exception_ptr StagedCollective::exception() const {
  return future_->hasError() ? future_->exception_ptr() : nullptr;
}

std::vector<at::Tensor> StagedCollective::result() {
  TORCH_CHECK(isCompleted(), "the collective is not done; call wait() before result()");
  return results_;
}

c10::intrusive_ptr<Future> StagedCollective::getFuture() { return future_; }

StagedTransfer::StagedTransfer(c10::intrusive_ptr<c10d::Work> transport, c10d::OpType type,
                               Staging staging)
    : Work(-1, type), transport_(std::move(transport)), staging_(std::move(staging)) {}

bool StagedTransfer::wait(std::chrono::milliseconds timeout) {
  const bool done = transport_->wait(timeout);
  if (done) std::call_once(copied_back_, [this] { staging_.copy_back(); });
  return done;
}

bool StagedTransfer::isCompleted() {
  const bool done = transport_->isCompleted();
  if (done) wait(kNoTimeout);
  return done;
}

bool StagedTransfer::isSuccess() const { return transport_->isSuccess(); }

int StagedTransfer::sourceRank() const { return transport_->sourceRank(); }

void StagedTransfer::abort() { transport_->abort(); }

std::vector<at::Tensor> StagedTransfer::result() { return staging_.results(); }

}  // namespace sidra::distributed
