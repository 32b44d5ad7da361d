#include "aten/ops/copy.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/_local_scalar_dense.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>

#include "aten/host_operands.h"
#include "aten/operator_info.h"
#include "aten/quantizers.h"
#include "aten/work.h"
#include "runtime/allocator.h"
#include "runtime/device.h"
#include "runtime/driver_loader.h"
#include "runtime/stream.h"
#include "runtime/transfer.h"

namespace sidra::aten {
namespace {

bool on_device(const at::Tensor& tensor) { return tensor.device().type() == runtime::kDeviceType; }

uint64_t address(const at::Tensor& tensor) {
  return reinterpret_cast<uint64_t>(tensor.const_data_ptr());
}

bool is_plain(const at::Tensor& tensor) {
  return tensor.is_non_overlapping_and_dense() && !tensor.is_conj() && !tensor.is_neg();
}

// Whether one run of bytes copied makes `to` equal to `from`.
bool same_bytes(const at::Tensor& from, const at::Tensor& to) {
  return from.scalar_type() == to.scalar_type() && from.strides() == to.strides() &&
         is_plain(from) && is_plain(to);
}

at::Tensor like(const at::Tensor& tensor, at::IntArrayRef strides, at::ScalarType dtype,
                c10::Device device) {
  return at::empty_strided(tensor.sizes(), strides,
                           at::TensorOptions().dtype(dtype).device(device));
}

void copy_on_one_device(const at::Tensor& self, const at::Tensor& dst) {
  static const OperatorInfo& info =
      operator_info(c10::Dispatcher::singleton().findSchemaOrThrow("aten::copy_", ""));
  if (!runtime::driver().host_coherent && same_bytes(self, dst) && !self.is_alias_of(dst)) {
    runtime::copy_on_device(dst.device().index(), address(dst), address(self), self.nbytes());
    return;
  }
  HostOperands host(dst.device());
  host.open(dst, /*written=*/true).copy_(host.open(self));
  host.finish();
  Work work = host.work();
  work.bytes_read = self.nbytes();
  work.bytes_written = dst.nbytes();
  account(info, dst.device(), work);
}

void copy_between_devices(const at::Tensor& self, const at::Tensor& dst) {
  runtime::wait_for_current_stream(self.device().index());
  if (same_bytes(self, dst)) {
    runtime::copy_on_device(dst.device().index(), address(dst), address(self), self.nbytes());
    return;
  }
  const at::Tensor dense = self.contiguous();
  const at::Tensor landed = like(dense, dense.strides(), dense.scalar_type(), dst.device());
  runtime::wait_for_current_stream(self.device().index());
  runtime::copy_on_device(dst.device().index(), address(landed), address(dense), dense.nbytes());
  copy_on_one_device(landed, dst);
}

// A pinned source that is copied as it is need not be waited for.
void copy_in(const at::Tensor& self, const at::Tensor& dst, bool non_blocking) {
  if (!is_plain(dst)) {
    const at::Tensor landed =
        at::empty(dst.sizes(), at::TensorOptions().dtype(dst.scalar_type()).device(dst.device()));
    copy_in(self, landed, non_blocking);
    copy_on_one_device(landed, dst);
    return;
  }
  const bool direct = same_bytes(self, dst);
  const at::Tensor source =
      direct ? self
             : like(self, dst.strides(), dst.scalar_type(), c10::Device(at::kCPU)).copy_(self);
  runtime::copy_to_device(dst.device().index(), address(dst), source.const_data_ptr(),
                          source.nbytes(), non_blocking && direct && self.is_pinned());
}

void copy_out(const at::Tensor& self, const at::Tensor& dst, bool non_blocking) {
  if (!is_plain(self)) {
    const at::Tensor dense = at::empty(
        self.sizes(), at::TensorOptions().dtype(self.scalar_type()).device(self.device()));
    copy_on_one_device(self, dense);
    copy_out(dense, dst, false);
    return;
  }
  const bool direct = same_bytes(self, dst);
  const at::Tensor landed =
      direct ? dst : like(self, self.strides(), self.scalar_type(), c10::Device(at::kCPU));
  runtime::copy_to_host(self.device().index(), landed.mutable_data_ptr(), address(self),
                        self.nbytes(), non_blocking && direct && dst.is_pinned());
  if (!direct) dst.copy_(landed);
}

runtime::Block* block_behind(const at::Tensor& tensor) {
  return runtime::block_of(*tensor.storage().unsafeGetStorageImpl());
}

// A copy is no computation: memory filled for the first time is what its source was.
void inherit_origin(const at::Tensor& from, const at::Tensor& to) {
  runtime::Block* const target = block_behind(to);
  if (target == nullptr) return;
  if (target->writes.fetch_add(1, std::memory_order_acq_rel) > 0) return;
  runtime::Block* const source = on_device(from) ? block_behind(from) : nullptr;
  target->computed.store(source != nullptr && source->computed.load(std::memory_order_relaxed),
                         std::memory_order_relaxed);
}

}  // namespace

at::Tensor copy_from(const at::Tensor& self, const at::Tensor& dst, bool non_blocking) {
  if (self.sizes() != dst.sizes()) return copy_from(self.expand(dst.sizes()), dst, non_blocking);
  copy_quantizer(self, dst);
  if (self.numel() == 0) return dst;
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  if (self._is_zerotensor()) return dst.zero_();  // gradients that are known to be zero: no bytes
  if (on_device(dst)) inherit_origin(self, dst);
  if (!on_device(self)) {
    copy_in(self, dst, non_blocking);
  } else if (!on_device(dst)) {
    copy_out(self, dst, non_blocking);
  } else if (self.device() == dst.device()) {
    copy_on_one_device(self, dst);
  } else {
    copy_between_devices(self, dst);
  }
  return dst;
}

at::Tensor copy_from_and_resize(const at::Tensor& self, const at::Tensor& dst) {
  dst.resize_(self.sizes());
  return copy_from(self, dst, /*non_blocking=*/false);
}

at::Scalar local_scalar_dense(const at::Tensor& self) {
  const at::Tensor value = at::empty({}, at::TensorOptions().dtype(self.scalar_type()));
  runtime::copy_to_host(self.device().index(), value.mutable_data_ptr(), address(self),
                        self.element_size());
  return at::_local_scalar_dense(value);
}

}  // namespace sidra::aten
