// Which Python class each kind of error becomes.
#include "bindings/bindings.h"
#include "runtime/error.h"

namespace sidra::bindings {
namespace {

using runtime::ErrorKind;

// Owned for ever: errors may still be raised while the interpreter goes down.
PyObject* driver_error = nullptr;
PyObject* capacity_error = nullptr;
PyObject* unsupported_operator = nullptr;

class PythonError final : public torch::PyTorchError {
 public:
  PythonError(PyObject* type, const std::string& message)
      : torch::PyTorchError(message), type_(type) {}
  PyObject* python_type() override { return type_; }

 private:
  PyObject* type_;
};

// Kinds without a class of ours return to the run time, which throws c10's.
void throw_python_error(ErrorKind kind, const std::string& message) {
  switch (kind) {
    case ErrorKind::kDriver:
      throw PythonError(driver_error, message);
    case ErrorKind::kCapacity:
      throw PythonError(capacity_error, message);
    case ErrorKind::kUnsupported:
      throw PythonError(unsupported_operator, message);
    default:
      return;
  }
}

}  // namespace

void bind_errors(pybind11::module_&) {
  const auto errors = pybind11::module_::import("sidra.errors");
  driver_error = pybind11::object(errors.attr("DriverError")).release().ptr();
  capacity_error = pybind11::object(errors.attr("CapacityError")).release().ptr();
  unsupported_operator = pybind11::object(errors.attr("UnsupportedOperator")).release().ptr();
  runtime::set_raiser(throw_python_error);
}

}  // namespace sidra::bindings
