#include "aten/fallback.h"

#include "bindings/bindings.h"

namespace sidra::bindings {
namespace {

namespace py = pybind11;

void set_fallback_mode(const std::string& mode) {
  using aten::FallbackMode;
  TORCH_CHECK_VALUE(mode == "silent" || mode == "warn" || mode == "error",
                    "the fallback mode is 'silent', 'warn' or 'error', not '", mode, "'");
  aten::set_fallback_mode(mode == "silent" ? FallbackMode::kSilent
                          : mode == "warn" ? FallbackMode::kWarn
                                           : FallbackMode::kError);
}

const char* fallback_mode() {
  switch (aten::fallback_mode()) {
    case aten::FallbackMode::kSilent:
      return "silent";
    case aten::FallbackMode::kWarn:
      return "warn";
    case aten::FallbackMode::kError:
      return "error";
  }
  return "";
}

}  // namespace

void bind_fallback(py::module_& module) {
  module.def("set_fallback_mode", torch::wrap_pybind_function(set_fallback_mode),
             "What happens when an operator has no place on the chip.");
  module.def("fallback_mode", torch::wrap_pybind_function(fallback_mode));
}

}  // namespace sidra::bindings
