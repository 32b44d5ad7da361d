// Errors of the run time, and how a driver's status becomes one.
#pragma once

#include <string>

#include "sidra/driver.h"

namespace sidra::runtime {

// Which Python exception an error becomes (python/sidra/errors.py).
enum class ErrorKind {
  kDriver,       // sidra.DriverError: the driver is missing, too old, broken, or failed
  kCapacity,     // sidra.CapacityError: not enough crossbars
  kUnsupported,  // sidra.UnsupportedOperator
  kMemory,       // torch.OutOfMemoryError
  kValue,        // ValueError
  kRuntime       // RuntimeError
};

// Throws. Without Python (or before the bindings are loaded) every kind is a c10::Error of the
// nearest type; the bindings install a raiser that throws torch::PyTorchError subclasses.
[[noreturn]] void raise(ErrorKind kind, const std::string& message);
using Raiser = void (*)(ErrorKind kind, const std::string& message);
void set_raiser(Raiser raiser);

const char* status_name(sidra_status status);  // "SIDRA_STATUS_OUT_OF_MEMORY"

// The kind that a status becomes: OUT_OF_MEMORY kMemory, OUT_OF_CROSSBARS kCapacity,
// INVALID_ARGUMENT kValue, else kDriver. `what` says what was asked, e.g. "aten::addmm: mvm".
[[noreturn]] void raise_status(sidra_status status, const std::string& what);

}  // namespace sidra::runtime

// Evaluates a driver call; raises with the driver's own text unless it returns OK.
#define SIDRA_CHECK(call, what)                                      \
  do {                                                               \
    const sidra_status sidra_check_status_ = (call);                 \
    if (__builtin_expect(sidra_check_status_ != SIDRA_STATUS_OK, 0)) \
      ::sidra::runtime::raise_status(sidra_check_status_, (what));   \
  } while (0)
// The same for noexcept callers: warns instead.
#define SIDRA_WARN(call, what)                                       \
  do {                                                               \
    const sidra_status sidra_check_status_ = (call);                 \
    if (__builtin_expect(sidra_check_status_ != SIDRA_STATUS_OK, 0)) \
      ::sidra::runtime::warn_status(sidra_check_status_, (what));    \
  } while (0)

namespace sidra::runtime {
void warn_status(sidra_status status, const char* what) noexcept;
}
