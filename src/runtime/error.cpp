#include "runtime/error.h"

#include <c10/util/Exception.h>

#include <atomic>

#include "runtime/loaded_driver.h"

namespace sidra::runtime {
namespace {

std::atomic<Raiser> raiser{nullptr};

// "what: the driver's text (SIDRA_STATUS_X)"; without a text the status alone.
std::string status_text(sidra_status status, const std::string& what) {
  const std::string detail = driver_last_error();
  std::string text = what;
  if (!detail.empty()) text += ": " + detail;
  return text + " (" + status_name(status) + ")";
}

ErrorKind kind_of(sidra_status status) {
  switch (status) {
    case SIDRA_STATUS_OUT_OF_MEMORY:
      return ErrorKind::kMemory;
    case SIDRA_STATUS_OUT_OF_CROSSBARS:
      return ErrorKind::kCapacity;
    case SIDRA_STATUS_INVALID_ARGUMENT:
      return ErrorKind::kValue;
    default:
      return ErrorKind::kDriver;
  }
}

}  // namespace

void set_raiser(Raiser value) { raiser.store(value, std::memory_order_release); }

void raise(ErrorKind kind, const std::string& message) {
  if (kind == ErrorKind::kMemory) TORCH_CHECK_WITH(OutOfMemoryError, false, message);
  if (kind == ErrorKind::kValue) TORCH_CHECK_VALUE(false, message);
  if (Raiser throws = raiser.load(std::memory_order_acquire)) throws(kind, message);
  if (kind == ErrorKind::kUnsupported) TORCH_CHECK_NOT_IMPLEMENTED(false, message);
  TORCH_CHECK(false, message);
}

void raise_status(sidra_status status, const std::string& what) {
  raise(kind_of(status), status_text(status, what));
}

void warn_status(sidra_status status, const char* what) noexcept {
  try {
    TORCH_WARN(status_text(status, what));
  } catch (...) {  // a warning that Python turned into an error has no caller to go to
  }
}

const char* status_name(sidra_status status) {
  switch (status) {
    case SIDRA_STATUS_OK:
      return "SIDRA_STATUS_OK";
    case SIDRA_STATUS_INVALID_ARGUMENT:
      return "SIDRA_STATUS_INVALID_ARGUMENT";
    case SIDRA_STATUS_OUT_OF_MEMORY:
      return "SIDRA_STATUS_OUT_OF_MEMORY";
    case SIDRA_STATUS_OUT_OF_CROSSBARS:
      return "SIDRA_STATUS_OUT_OF_CROSSBARS";
    case SIDRA_STATUS_PROGRAMMING_FAILED:
      return "SIDRA_STATUS_PROGRAMMING_FAILED";
    case SIDRA_STATUS_ENDURANCE_EXCEEDED:
      return "SIDRA_STATUS_ENDURANCE_EXCEEDED";
    case SIDRA_STATUS_NOT_FOUND:
      return "SIDRA_STATUS_NOT_FOUND";
    case SIDRA_STATUS_NOT_READY:
      return "SIDRA_STATUS_NOT_READY";
    case SIDRA_STATUS_UNSUPPORTED:
      return "SIDRA_STATUS_UNSUPPORTED";
    case SIDRA_STATUS_DEVICE_LOST:
      return "SIDRA_STATUS_DEVICE_LOST";
    case SIDRA_STATUS_INTERNAL:
      return "SIDRA_STATUS_INTERNAL";
    default:
      return "an unknown status";
  }
}

}  // namespace sidra::runtime
