// What generated host code must tell the device around each of its kernels, which read and write
// device memory in place.
#include <pybind11/stl.h>
#include <torch/csrc/utils/pybind.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bindings/bindings.h"
#include "runtime/allocator.h"
#include "runtime/device.h"
#include "runtime/driver_loader.h"
#include "runtime/error.h"
#include "runtime/ledger.h"
#include "runtime/loaded_driver.h"
#include "runtime/stream.h"
#include "runtime/submission.h"
#include "runtime/transfer.h"

namespace sidra::bindings {
namespace {

namespace py = pybind11;

using Tensors = std::vector<at::Tensor>;

// Of the first tensor there that is the device's, -1 when none is: a kernel has one device.
c10::DeviceIndex device_of(const Tensors& tensors) {
  for (const at::Tensor& tensor : tensors) {
    if (tensor.device().type() == runtime::kDeviceType) return tensor.device().index();
  }
  return -1;
}

uint64_t bytes_of(const Tensors& tensors) {
  uint64_t bytes = 0;
  for (const at::Tensor& tensor : tensors) bytes += tensor.nbytes();
  return bytes;
}

// Residency compares a weight again when it was written.
void mark_written(const at::Tensor& tensor) {
  runtime::Block* block = runtime::block_of(*tensor.storage().unsafeGetStorageImpl());
  if (block == nullptr) return;
  const bool first = block->writes.fetch_add(1, std::memory_order_acq_rel) == 0;
  if (first) block->computed.store(true, std::memory_order_relaxed);
}

void begin_kernel(const Tensors& operands) {
  const c10::DeviceIndex device = device_of(operands);
  if (device >= 0) runtime::wait_for_current_stream(device);
}

void end_kernel(const std::string& name, const Tensors& read, const Tensors& written) {
  const c10::DeviceIndex device = std::max(device_of(read), device_of(written));
  if (device < 0) return;
  for (const at::Tensor& tensor : written) mark_written(tensor);
  sidra_work_args args{};
  args.struct_size = sizeof(args);
  args.place = SIDRA_PLACE_HOST;
  args.bytes_read = bytes_of(read);
  args.bytes_written = bytes_of(written);
  const runtime::Submission submission(
      runtime::ledger_line(name, runtime::Place::kHost, "compiled for the host by Inductor"),
      device);
  SIDRA_CHECK(runtime::driver().table->account_work(runtime::current_stream_handle(device), &args),
              name);
  submission.book(args.cost, args.bytes_read + args.bytes_written);
}

}  // namespace

void bind_compiled(py::module_& module) {
  module.def("begin_host_kernel", torch::wrap_pybind_function_no_gil(begin_kernel),
             py::arg("operands"), "Waits until the host may read and write what commands left.");
  module.def("end_host_kernel", torch::wrap_pybind_function_no_gil(end_kernel), py::arg("name"),
             py::arg("read"), py::arg("written"),
             "Counts the kernel as work of the host and marks what it wrote.");
}

}  // namespace sidra::bindings
