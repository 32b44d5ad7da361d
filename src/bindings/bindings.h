// The Python module sidra._C: one bind_ function per topic, each in the file of that name.
//
// Every function goes through one of the two wrappers, which turn C++ errors into Python's:
//   torch::wrap_pybind_function         keeps the GIL: it makes Python objects, or returns at once
//   torch::wrap_pybind_function_no_gil  releases it: it may wait, load a library or call the driver
#pragma once

#include <c10/core/Device.h>
#include <pybind11/pybind11.h>
#include <torch/csrc/Exceptions.h>

#include <cstdint>

namespace sidra::bindings {

void bind_errors(pybind11::module_& module);
void bind_driver(pybind11::module_& module);
void bind_compiled(pybind11::module_& module);
void bind_device(pybind11::module_& module);
void bind_stream(pybind11::module_& module);
void bind_event(pybind11::module_& module);
void bind_exit(pybind11::module_& module);
void bind_memory(pybind11::module_& module);
void bind_memory_history(pybind11::module_& module);
void bind_generator(pybind11::module_& module);
void bind_ledger(pybind11::module_& module);
void bind_residency(pybind11::module_& module);
void bind_fallback(pybind11::module_& module);
void bind_distributed(pybind11::module_& module);
void bind_plan(pybind11::module_& module);

// The index of an existing device; -1 is the current one. Raises as check_device does, also for
// numbers that no c10::DeviceIndex holds.
c10::DeviceIndex device_index(int64_t index);

}  // namespace sidra::bindings
