#include "bindings/bindings.h"
#include "runtime/driver_loader.h"

namespace sidra::bindings {
namespace {

namespace py = pybind11;

py::dict driver_info() {
  const runtime::Driver* driver = nullptr;
  {
    const py::gil_scoped_release no_gil;
    driver = &runtime::driver();
  }
  py::dict info;
  info["name"] = driver->table->name;
  info["version"] = driver->table->version;
  info["abi"] =
      std::to_string(driver->table->abi_major) + "." + std::to_string(driver->table->abi_minor);
  info["path"] = driver->path;
  info["completes_at_submission"] = driver->completes_at_submission;
  info["host_coherent"] = driver->host_coherent;
  return info;
}

}  // namespace

void bind_driver(py::module_& module) {
  module.def("configure", torch::wrap_pybind_function_no_gil(runtime::configure_driver),
             py::arg("driver"), py::arg("config"),
             "What to open at first use: a driver's name or path, and its `key=value` lines.");
  module.def("driver_available",
             torch::wrap_pybind_function_no_gil([] { return runtime::driver_available(); }),
             "Whether the driver opens; opens it. Never raises.");
  module.def("driver_error", torch::wrap_pybind_function_no_gil(runtime::driver_error),
             "Why the driver does not open, or ''.");
  module.def("driver_info", torch::wrap_pybind_function(driver_info),
             "Name, version, ABI and path of the driver in use, and how it runs commands.");
  module.def("driver_describe", torch::wrap_pybind_function_no_gil(runtime::driver_description),
             "What the driver is made of, as a JSON object; '{}' when it says nothing.");
}

}  // namespace sidra::bindings
