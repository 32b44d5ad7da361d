#include "distributed/staged_backend.h"

#include <ATen/ops/cat.h>

#include <utility>

#include "distributed/staged_work.h"

namespace sidra::distributed {
namespace {

using Tensors = StagedBackend::Tensors;
using WorkPtr = StagedBackend::WorkPtr;
using Stage = at::Tensor (Staging::*)(const at::Tensor&);

Tensors staged(Staging& staging, Stage stage, const Tensors& tensors) {
  Tensors hosts;
  for (const at::Tensor& tensor : tensors) hosts.push_back((staging.*stage)(tensor));
  return hosts;
}

std::vector<Tensors> staged(Staging& staging, Stage stage, const std::vector<Tensors>& lists) {
  std::vector<Tensors> hosts;
  for (const Tensors& tensors : lists) hosts.push_back(staged(staging, stage, tensors));
  return hosts;
}

WorkPtr collective(WorkPtr transport, c10d::OpType type, Staging staging) {
  return c10::make_intrusive<StagedCollective>(std::move(transport), type, std::move(staging));
}

WorkPtr transfer(WorkPtr transport, c10d::OpType type, Staging staging) {
  return c10::make_intrusive<StagedTransfer>(std::move(transport), type, std::move(staging));
}

void check_gathered(const at::Tensor& output, const at::Tensor& input, int ranks) {
  TORCH_CHECK_VALUE(output.numel() == input.numel() * ranks, "all_gather: the output ",
                    output.sizes(), " is not ", ranks, " (ranks) times the input ", input.sizes());
}

c10d::AllreduceOptions sum_options(const c10d::ReduceScatterOptions& options) {
  c10d::AllreduceOptions sum;
  sum.reduceOp = options.reduceOp;
  sum.timeout = options.timeout;
  return sum;
}

}  // namespace

StagedBackend::StagedBackend(c10::intrusive_ptr<c10d::Backend> transport, std::string name)
    : Backend(transport->getRank(), transport->getSize()),
      transport_(std::move(transport)),
      name_(std::move(name)) {}

c10::intrusive_ptr<c10d::Backend::Options> StagedBackend::getBackendOptions() {
  return transport_->getBackendOptions();
}

void StagedBackend::setTimeout(std::chrono::milliseconds timeout) {
  transport_->setTimeout(timeout);
}

void StagedBackend::setSequenceNumberForGroup() { transport_->setSequenceNumberForGroup(); }

uint64_t StagedBackend::getSequenceNumberForGroup() {
  return transport_->getSequenceNumberForGroup();
}

WorkPtr StagedBackend::broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) {
  Staging staging;
  Tensors hosts = staged(staging, &Staging::in_out, tensors);
  return collective(transport_->broadcast(hosts, options), c10d::OpType::BROADCAST,
                    std::move(staging));
}

WorkPtr StagedBackend::allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) {
  Staging staging;
  Tensors hosts = staged(staging, &Staging::in_out, tensors);
  return collective(transport_->allreduce(hosts, options), c10d::OpType::ALLREDUCE,
                    std::move(staging));
}

WorkPtr StagedBackend::allreduce_coalesced(Tensors& tensors,
                                           const c10d::AllreduceCoalescedOptions& options) {
  Staging staging;
  Tensors hosts = staged(staging, &Staging::in_out, tensors);
  return collective(transport_->allreduce_coalesced(hosts, options),
                    c10d::OpType::ALLREDUCE_COALESCED, std::move(staging));
}

WorkPtr StagedBackend::reduce(Tensors& tensors, const c10d::ReduceOptions& options) {
  Staging staging;
  // Gloo uses the buffers of the other ranks too: only the root's may change what the user sees.
  const Stage stage = options.rootRank == rank_ ? &Staging::in_out : &Staging::in;
  Tensors hosts = staged(staging, stage, tensors);
  return collective(transport_->reduce(hosts, options), c10d::OpType::REDUCE, std::move(staging));
}

WorkPtr StagedBackend::allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                                 const c10d::AllgatherOptions& options) {
  Staging staging;
  std::vector<Tensors> host_outputs = staged(staging, &Staging::out, outputs);
  Tensors host_inputs = staged(staging, &Staging::in, inputs);
  return collective(transport_->allgather(host_outputs, host_inputs, options),
                    c10d::OpType::ALLGATHER, std::move(staging));
}

// Both flat: gloo divides the output by its first dimension, which need not be one of ranks.
WorkPtr StagedBackend::_allgather_base(at::Tensor& output, at::Tensor& input,
                                       const c10d::AllgatherOptions& options) {
  check_gathered(output, input, size_);
  Staging staging;
  at::Tensor host_output = staging.out(output).flatten();
  at::Tensor host_input = staging.in(input).flatten();
  return collective(transport_->_allgather_base(host_output, host_input, options),
                    c10d::OpType::_ALLGATHER_BASE, std::move(staging));
}

WorkPtr StagedBackend::allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                       const c10d::AllgatherOptions& options) {
  TORCH_CHECK_VALUE(outputs.size() == inputs.size(), "all_gather: ", outputs.size(),
                    " outputs for ", inputs.size(), " inputs");
  Staging staging;
  Tensors host_outputs, host_inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    check_gathered(outputs[i], inputs[i], size_);
    host_outputs.push_back(staging.out(outputs[i]).flatten());
    host_inputs.push_back(staging.in(inputs[i]).flatten());
  }
  return collective(transport_->allgather_into_tensor_coalesced(host_outputs, host_inputs, options),
                    c10d::OpType::COALESCED, std::move(staging));
}

WorkPtr StagedBackend::gather(std::vector<Tensors>& outputs, Tensors& inputs,
                              const c10d::GatherOptions& options) {
  Staging staging;
  std::vector<Tensors> host_outputs = staged(staging, &Staging::out, outputs);
  Tensors host_inputs = staged(staging, &Staging::in, inputs);
  return collective(transport_->gather(host_outputs, host_inputs, options), c10d::OpType::GATHER,
                    std::move(staging));
}

WorkPtr StagedBackend::scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                               const c10d::ScatterOptions& options) {
  Staging staging;
  Tensors host_outputs = staged(staging, &Staging::out, outputs);
  std::vector<Tensors> host_inputs = staged(staging, &Staging::in, inputs);
  return collective(transport_->scatter(host_outputs, host_inputs, options), c10d::OpType::SCATTER,
                    std::move(staging));
}

// Reduce and scatter is done as gloo does it, a sum over everything of which each rank keeps its
// part; gloo's own has no future.
WorkPtr StagedBackend::reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                      const c10d::ReduceScatterOptions& options) {
  TORCH_CHECK_VALUE(
      outputs.size() == 1 && inputs.size() == 1 && inputs[0].size() == static_cast<size_t>(size_),
      "reduce_scatter takes one output and one input per rank (", size_, ")");
  int64_t before = 0;
  Tensors flat;
  Staging staging;
  for (int rank = 0; rank < size_; ++rank) {
    flat.push_back(staging.in(inputs[0][rank]).flatten());
    if (rank < rank_) before += flat.back().numel();
  }
  Tensors host{at::cat(flat)};
  TORCH_CHECK_VALUE(outputs[0].numel() == flat[rank_].numel(), "reduce_scatter: the output ",
                    outputs[0].sizes(), " differs from input ", rank_, ", ",
                    inputs[0][rank_].sizes());
  staging.write(outputs[0], host[0].narrow(0, before, outputs[0].numel()));
  return collective(transport_->allreduce(host, sum_options(options)), c10d::OpType::REDUCE_SCATTER,
                    std::move(staging));
}

WorkPtr StagedBackend::_reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                            const c10d::ReduceScatterOptions& options) {
  Staging staging;
  Tensors host{part_of_sum(staging, output, input)};
  return collective(transport_->allreduce(host, sum_options(options)),
                    c10d::OpType::_REDUCE_SCATTER_BASE, std::move(staging));
}

WorkPtr StagedBackend::reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                       const c10d::ReduceScatterOptions& options) {
  TORCH_CHECK_VALUE(outputs.size() == inputs.size(), "reduce_scatter: ", outputs.size(),
                    " outputs for ", inputs.size(), " inputs");
  Staging staging;
  Tensors hosts;
  for (size_t i = 0; i < inputs.size(); ++i) {
    hosts.push_back(part_of_sum(staging, outputs[i], inputs[i]));
  }
  c10d::AllreduceCoalescedOptions coalesced;
  coalesced.reduceOp = options.reduceOp;
  coalesced.timeout = options.timeout;
  return collective(transport_->allreduce_coalesced(hosts, coalesced), c10d::OpType::COALESCED,
                    std::move(staging));
}

// The host copy of `input`, flat, of which the part of this rank goes to `output`.
at::Tensor StagedBackend::part_of_sum(Staging& staging, const at::Tensor& output,
                                      const at::Tensor& input) const {
  TORCH_CHECK_VALUE(input.numel() == output.numel() * size_, "reduce_scatter: the input ",
                    input.sizes(), " is not ", size_, " (ranks) times the output ", output.sizes());
  at::Tensor host = staging.in(input).flatten();
  staging.write(output, host.narrow(0, rank_ * output.numel(), output.numel()));
  return host;
}

WorkPtr StagedBackend::alltoall_base(at::Tensor& output, at::Tensor& input,
                                     std::vector<int64_t>& output_splits,
                                     std::vector<int64_t>& input_splits,
                                     const c10d::AllToAllOptions& options) {
  Staging staging;
  at::Tensor host_output = staging.out(output);
  at::Tensor host_input = staging.in(input);
  return collective(
      transport_->alltoall_base(host_output, host_input, output_splits, input_splits, options),
      c10d::OpType::ALLTOALL_BASE, std::move(staging));
}

WorkPtr StagedBackend::alltoall(Tensors& outputs, Tensors& inputs,
                                const c10d::AllToAllOptions& options) {
  Staging staging;
  Tensors host_outputs = staged(staging, &Staging::out, outputs);
  Tensors host_inputs = staged(staging, &Staging::in, inputs);
  return collective(transport_->alltoall(host_outputs, host_inputs, options),
                    c10d::OpType::ALLTOALL, std::move(staging));
}

WorkPtr StagedBackend::send(Tensors& tensors, int destination, int tag) {
  Staging staging;
  Tensors hosts = staged(staging, &Staging::in, tensors);
  return transfer(transport_->send(hosts, destination, tag), c10d::OpType::SEND,
                  std::move(staging));
}

WorkPtr StagedBackend::recv(Tensors& tensors, int source, int tag) {
  Staging staging;
  Tensors hosts = staged(staging, &Staging::out, tensors);
  return transfer(transport_->recv(hosts, source, tag), c10d::OpType::RECV, std::move(staging));
}

WorkPtr StagedBackend::recvAnysource(Tensors& tensors, int tag) {
  Staging staging;
  Tensors hosts = staged(staging, &Staging::out, tensors);
  return transfer(transport_->recvAnysource(hosts, tag), c10d::OpType::RECVANYSOURCE,
                  std::move(staging));
}

WorkPtr StagedBackend::barrier(const c10d::BarrierOptions& options) {
  return transport_->barrier(options);
}

}  // namespace sidra::distributed
