#include "runtime/device.h"

#include <torch/csrc/utils/device_lazy_init.h>

#include <limits>
#include <string>

#include "bindings/bindings.h"
#include "runtime/driver_loader.h"
#include "runtime/error.h"

namespace sidra::bindings {
namespace {

namespace py = pybind11;

// The second call tells PyTorch's own record of initialised devices about forks.
void initialize() {
  runtime::initialize();
  torch::utils::register_fork_handler_for_device_init(runtime::kDeviceType);
}

py::dict device_properties(int64_t index) {
  const sidra_device_properties& properties = runtime::device_properties(device_index(index));
  py::dict result;
  result["name"] = properties.name;
  result["crossbar_rows"] = properties.crossbar_rows;
  result["crossbar_columns"] = properties.crossbar_columns;
  result["crossbars"] = properties.crossbars;
  result["compute_units"] = properties.compute_units;
  result["clusters"] = properties.clusters;
  result["dac_bits"] = properties.dac_bits;
  result["adc_bits"] = properties.adc_bits;
  result["memory_bytes"] = properties.memory_bytes;
  result["host_coherent"] = (properties.flags & SIDRA_DEVICE_HOST_COHERENT) != 0;
  result["completes_at_submission"] =
      (properties.flags & SIDRA_DEVICE_COMPLETES_AT_SUBMISSION) != 0;
  result["exact"] = (properties.flags & SIDRA_DEVICE_EXACT) != 0;
  return result;
}

py::dict device_counters(int64_t index) {
  const c10::DeviceIndex device = device_index(index);
  sidra_counters counters{};
  counters.struct_size = sizeof(counters);
  SIDRA_CHECK(
      runtime::driver().table->device_counters(runtime::driver().instance, device, &counters),
      "sidra:" + std::to_string(device) + ": read the counters");
  py::dict result;
#define SIDRA_COUNTER(name) result[#name] = counters.name
  SIDRA_COUNTER(mvms);
  SIDRA_COUNTER(cells_written);
  SIDRA_COUNTER(bytes_to_device);
  SIDRA_COUNTER(bytes_to_host);
  SIDRA_COUNTER(mvm_seconds);
  SIDRA_COUNTER(engine_seconds);
  SIDRA_COUNTER(programming_seconds);
  SIDRA_COUNTER(transfer_seconds);
  SIDRA_COUNTER(array_joules);
  SIDRA_COUNTER(dac_joules);
  SIDRA_COUNTER(adc_joules);
  SIDRA_COUNTER(engine_joules);
  SIDRA_COUNTER(memory_joules);
  SIDRA_COUNTER(link_joules);
  SIDRA_COUNTER(programming_joules);
  SIDRA_COUNTER(static_joules);
  SIDRA_COUNTER(crossbars_used);
#undef SIDRA_COUNTER
  return result;
}

}  // namespace

c10::DeviceIndex device_index(int64_t index) {
  constexpr int64_t kGreatest = std::numeric_limits<c10::DeviceIndex>::max();
  if (index < -1 || index > kGreatest) runtime::refuse_device(index);
  return runtime::check_device(static_cast<c10::DeviceIndex>(index));
}

void bind_device(py::module_& module) {
  module.def("init", torch::wrap_pybind_function_no_gil(initialize),
             "Opens the driver and marks the process as using it. Raises in a bad fork.");
  module.def("is_initialized",
             torch::wrap_pybind_function([] { return runtime::is_initialized(); }));
  module.def("is_in_bad_fork",
             torch::wrap_pybind_function([] { return runtime::is_in_bad_fork(); }),
             "Whether this process was forked from one that used the device.");
  module.def("device_count",
             torch::wrap_pybind_function_no_gil([]() -> int { return runtime::device_count(); }),
             "How many devices there are; 0 without a driver. Opens it. Never raises.");
  module.def("current_device",
             torch::wrap_pybind_function([]() -> int { return runtime::current_device(); }));
  module.def(
      "check_device",
      torch::wrap_pybind_function_no_gil([](int64_t index) -> int { return device_index(index); }),
      py::arg("index"),
      "`index`, or the current device for -1. Raises RuntimeError when there is no such device.");
  module.def("exchange_device", torch::wrap_pybind_function_no_gil([](int64_t index) -> int {
               return runtime::exchange_device(device_index(index));
             }),
             py::arg("index"), "Makes a device current for this thread; returns the previous one.");
  module.def("synchronize_device", torch::wrap_pybind_function_no_gil([](int64_t index) {
               runtime::synchronize_device(device_index(index));
             }),
             py::arg("index"), "Waits for all streams of a device.");
  module.def("device_properties", torch::wrap_pybind_function(device_properties), py::arg("index"),
             "What the chip is; memory in bytes.");
  module.def("device_counters", torch::wrap_pybind_function(device_counters), py::arg("index"),
             "Totals since the driver was opened; chip seconds, joules, bytes.");
}

}  // namespace sidra::bindings
