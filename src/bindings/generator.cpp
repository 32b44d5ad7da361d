#include "runtime/generator.h"

#include <torch/csrc/Generator.h>

#include "bindings/bindings.h"

namespace sidra::bindings {
namespace {

namespace py = pybind11;

// The same Python object each time, as long as one is alive.
py::object default_generator(int64_t device) {
  return py::reinterpret_steal<py::object>(
      THPGenerator_Wrap(runtime::default_generator(device_index(device))));
}

}  // namespace

void bind_generator(py::module_& module) {
  module.def("default_generator", torch::wrap_pybind_function(default_generator), py::arg("device"),
             "The torch.Generator that a device draws from by default.");
  module.def("seed_default_generators",
             torch::wrap_pybind_function_no_gil(runtime::seed_default_generators), py::arg("seed"),
             "Seeds the default generators of all devices, also of those not yet used.");
}

}  // namespace sidra::bindings
