// Device storages as the host sees them while it computes one operator.
//
// A storage is opened once per operator, so operands that share it still do. On coherent memory its
// host side is the same bytes under a CPU label; otherwise a copy of them, written back when the
// operator has changed them. Both sides have a storage object of their own, because kernels make
// views, and a view takes its device from the storage.
#pragma once

#include <ATen/core/Tensor.h>

namespace sidra::aten {

// A tensor of `geometry`'s shape, strides, offset, conj and neg bits, and version counter, over
// `storage` and on its device.
at::Tensor over_storage(const c10::Storage& storage, const at::Tensor& geometry);

class HostStorages {
 public:
  explicit HostStorages(bool in_place) : in_place_(in_place) {}

  at::Tensor open(const at::Tensor& tensor);

  // The device tensor over an operand's own storage, when a CPU result is a view of one; undefined
  // otherwise.
  at::Tensor view_of_operand(const at::Tensor& result) const;

  // After a kernel wrote `alias`: moves bytes (staged) or grown memory (in place) to the device
  // side, and gives `tensor` its geometry.
  void write_back(const at::Tensor& tensor, const at::Tensor& alias);

  uint64_t bytes_copied() const { return bytes_copied_; }

 private:
  struct Pair {
    c10::Storage device, host;
  };
  const c10::Storage& host_side(const c10::Storage& device);

  const bool in_place_;
  c10::SmallVector<Pair, 4> pairs_;
  uint64_t bytes_copied_ = 0;
};

}  // namespace sidra::aten
