// Leaving the interpreter in good order.
//
// Autograd runs the backward of device tensors in a thread of its own. `backward()` returns when
// the results are there; the thread may still be letting go of the graph. When the script ends just
// then, letting go of a Python object needs an interpreter that is no more, and the process aborts
// ("terminate called without an active exception"). A thread takes its tasks in order, so at exit,
// while the interpreter still works, each is given one more and waited for.
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/autograd.h>

#include "bindings/bindings.h"
#include "runtime/device.h"
#include "runtime/device_threads.h"

namespace sidra::bindings {
namespace {

namespace py = pybind11;

// No Python object takes part, so letting go of this graph needs no interpreter.
void run_backward(c10::DeviceIndex index) {
  const auto options = c10::TensorOptions().device(c10::Device(runtime::kDeviceType, index));
  const at::Tensor leaf = at::empty({1}, options).set_requires_grad(true);
  torch::autograd::backward({leaf}, {at::empty({1}, options)});
}

void finish_autograd_threads() {
  if (!runtime::is_initialized() || !runtime::device_threads_started()) return;
  for (c10::DeviceIndex index = 0; index < runtime::device_count(); ++index) run_backward(index);
}

}  // namespace

void bind_exit(py::module_& module) {
  module.def("finish_autograd_threads", torch::wrap_pybind_function_no_gil(finish_autograd_threads),
             "Waits until autograd's threads have let go of the graphs they were given.");
  py::module_::import("atexit").attr("register")(module.attr("finish_autograd_threads"));
}

}  // namespace sidra::bindings
