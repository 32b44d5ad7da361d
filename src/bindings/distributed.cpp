#include <torch/csrc/utils/pybind.h>

#include "bindings/bindings.h"
#include "distributed/staged_backend.h"

namespace sidra::bindings {
namespace {

using c10d::Backend;

c10::intrusive_ptr<Backend> staged_backend(const c10::intrusive_ptr<Backend>& transport,
                                           const std::string& name) {
  return c10::make_intrusive<distributed::StagedBackend>(transport, name);
}

}  // namespace

void bind_distributed(pybind11::module_& module) {
  module.def("staged_backend", torch::wrap_pybind_function(staged_backend),
             pybind11::arg("transport"), pybind11::arg("name"),
             "Collectives on device tensors over a c10d Backend that knows host memory only.");
}

}  // namespace sidra::bindings
