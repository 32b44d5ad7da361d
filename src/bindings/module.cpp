#include "bindings/bindings.h"

PYBIND11_MODULE(_C, module) {
  using namespace sidra::bindings;
  module.doc() = "The native half of sidra; torch.sidra and sidra.report are what people call.";
  bind_errors(module);
  bind_driver(module);
  bind_compiled(module);
  bind_device(module);
  bind_stream(module);
  bind_event(module);
  bind_exit(module);
  bind_memory(module);
  bind_memory_history(module);
  bind_generator(module);
  bind_ledger(module);
  bind_residency(module);
  bind_fallback(module);
  bind_distributed(module);
  bind_plan(module);
}
