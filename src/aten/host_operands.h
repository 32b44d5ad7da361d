// The operands and results of one operator that the host computes.
//
// On coherent memory an operand is opened as a CPU tensor over the same bytes: nothing is copied,
// results are allocated in device memory and only relabelled. On other drivers the bytes that the
// operands cover are staged in host memory, and written back when the operator has changed them.
//
//   HostOperands host(device);
//   at::Tensor out = at::add(host.open(a), host.open(b));
//   at::Tensor result = host.close(std::move(out));
//   host.finish();
#pragma once

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>

#include <optional>

#include "aten/host_storages.h"
#include "aten/result_allocator.h"
#include "aten/work.h"

namespace sidra::aten {

class HostOperands {
 public:
  // Waits for the commands of the current stream that may still use the operands.
  explicit HostOperands(c10::Device device);
  ~HostOperands() = default;
  HostOperands(const HostOperands&) = delete;
  HostOperands& operator=(const HostOperands&) = delete;

  // The operand as a CPU tensor; undefined and CPU tensors are themselves. `written`: the operator
  // changes its values, and may resize it.
  at::Tensor open(const at::Tensor& tensor, bool written = false);
  std::optional<at::Tensor> open(const std::optional<at::Tensor>& tensor);

  // A result as a device tensor; undefined tensors are themselves.
  at::Tensor close(at::Tensor result);

  // After the operator: written operands get their new geometry and, when staged, their bytes.
  void finish();

  // Whether a device tensor was opened only to be read: then the results are activations.
  bool has_operands() const { return has_operands_; }
  // What the operator did, as far as operands and results tell.
  Work work() const;

 private:
  struct Written {
    at::Tensor tensor, alias;
  };

  at::Tensor open_plain(const at::Tensor& tensor);
  at::Tensor open_container(const at::Tensor& container, bool written);
  at::Tensor close_plain(at::Tensor result);
  at::Tensor close_container(const at::Tensor& result);
  void count(const at::Tensor& tensor, uint64_t& bytes);
  at::Tensor adopt(at::Tensor result);
  at::Tensor copy_to_device(const at::Tensor& result);

  const c10::Device device_;
  const c10::OptionalDeviceGuard guard_;  // storages that grow are allocated on this device
  const at::AutoDispatchBelowADInplaceOrView below_autograd_;
  std::optional<ResultScope> scope_;  // coherent memory only
  HostStorages storages_;
  c10::SmallVector<Written, 2> written_;
  bool has_operands_ = false;
  Work work_;
};

}  // namespace sidra::aten
