#include "runtime/ledger.h"

#include <pybind11/stl.h>

#include "bindings/bindings.h"

namespace sidra::bindings {
namespace {

namespace py = pybind11;

py::list ledger_entries() {
  py::list entries;
  for (const runtime::LedgerEntry& entry : runtime::ledger_entries()) {
    py::dict row;
    row["operator"] = entry.operator_name;
    row["place"] = runtime::place_name(entry.place);
    row["reason"] = entry.reason;
    row["calls"] = entry.calls;
    row["bytes_moved"] = entry.bytes_moved;
    row["copied_bytes"] = entry.copied_bytes;
    row["chip_seconds"] = entry.cost.chip_seconds;
    row["joules"] = entry.cost.joules;
    row["datasheet_joules"] = entry.cost.datasheet_joules;
    entries.append(std::move(row));
  }
  return entries;
}

}  // namespace

void bind_ledger(py::module_& module) {
  module.def("ledger_entries", torch::wrap_pybind_function(ledger_entries),
             "One dict per operator and place with calls since the last reset.");
  module.def("ledger_reset", torch::wrap_pybind_function_no_gil(runtime::ledger_reset),
             "Set calls, bytes, chip seconds and joules of every line to zero.");
}

}  // namespace sidra::bindings
