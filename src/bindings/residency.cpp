#include "runtime/residency.h"

#include <pybind11/stl.h>

#include "bindings/bindings.h"

namespace sidra::bindings {
namespace {

namespace py = pybind11;

py::list residency_entries() {
  std::vector<runtime::ResidencyEntry> entries;
  {
    const py::gil_scoped_release no_gil;
    entries = runtime::residency_entries();
  }
  py::list rows;
  for (const runtime::ResidencyEntry& entry : entries) {
    py::dict row;
    row["device"] = static_cast<int>(entry.device);
    row["shape"] = py::tuple(py::cast(entry.shape));
    row["part"] = entry.part;
    row["outputs"] = entry.info.outputs;
    row["inputs"] = entry.info.inputs;
    row["crossbars"] = entry.info.crossbars;
    row["cells"] = entry.info.cells;
    row["cells_written"] = entry.info.cells_written;
    row["host_bytes"] = entry.info.host_bytes;
    row["uses"] = entry.uses;
    rows.append(std::move(row));
  }
  return rows;
}

void set_eviction(const std::string& policy) {
  TORCH_CHECK_VALUE(policy == "lru" || policy == "error", "eviction is 'lru' or 'error', not '",
                    policy, "'");
  runtime::set_eviction(policy == "lru" ? runtime::Eviction::kLeastRecentlyUsed
                                        : runtime::Eviction::kError);
}

}  // namespace

void bind_residency(py::module_& module) {
  module.def("residency", torch::wrap_pybind_function(residency_entries),
             "One dict per matrix that sits in crossbars.");
  module.def("residency_clear", torch::wrap_pybind_function_no_gil(runtime::residency_clear),
             "Free all crossbars; weights are programmed again at their next use.");
  module.def("set_eviction", torch::wrap_pybind_function(set_eviction),
             "What happens when crossbars run out: 'lru' or 'error'.");
}

}  // namespace sidra::bindings
