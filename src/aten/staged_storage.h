// Host copies of device storages, for drivers whose memory the host cannot address.
//
// Each storage is staged once per operator, whole, so that operands that share it still do.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace sidra::aten {

class StagedStorages {
 public:
  at::Tensor open(const at::Tensor& tensor, bool written);

  // The device tensor over the operand's own storage, when a CPU result is a view of a staged one;
  // undefined otherwise.
  at::Tensor view_of_operand(const at::Tensor& result, c10::Device device) const;

  // Copies the bytes of a written operand back and follows a resize of its alias.
  void write_back(const at::Tensor& tensor, const at::Tensor& alias);

 private:
  struct Staged {
    c10::Storage device, host;
  };
  const Staged* find_device(const c10::Storage& storage) const;
  const Staged* find_host(const c10::Storage& storage) const;

  std::vector<Staged> storages_;
};

// Copies all bytes of a CPU tensor's storage range to a device tensor of the same geometry.
void write_bytes(const at::Tensor& device_tensor, const at::Tensor& host_tensor);
// The whole of a device storage in new host memory.
c10::Storage read_storage(const c10::Storage& storage);

}  // namespace sidra::aten
