#include "runtime/event.h"

#include "bindings/bindings.h"

namespace sidra::bindings {
namespace {

// As torch.Event.event_id gives it: 0 before it is recorded.
sidra_event* event_of(uint64_t id) { return reinterpret_cast<sidra_event*>(id); }

}  // namespace

void bind_event(pybind11::module_& module) {
  module.def("event_elapsed_milliseconds",
             torch::wrap_pybind_function_no_gil([](uint64_t start, uint64_t end) {
               return runtime::elapsed_milliseconds(event_of(start), event_of(end));
             }),
             pybind11::arg("start"), pybind11::arg("end"),
             "Chip time between two events, each named by its torch.Event.event_id.");
}

}  // namespace sidra::bindings
