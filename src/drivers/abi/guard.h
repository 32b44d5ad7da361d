// The edge of a driver: what a call throws becomes a status and the thread's last error.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "drivers/abi/error.h"
#include "sidra/driver.h"

namespace sidra {

inline std::string& last_error_text() {
  thread_local std::string text;
  return text;
}

[[gnu::cold]] inline sidra_status keep_error(sidra_status status, const char* text) noexcept {
  try {
    last_error_text() = text;
  } catch (...) {
    last_error_text().clear();  // no memory for the text; the status stands
  }
  return status;
}

// Runs a body: nothing is thrown across the ABI.
template <typename Body>
sidra_status guarded(const Body& body) noexcept {
  try {
    body();
    return SIDRA_STATUS_OK;
  } catch (const Error& error) {
    return keep_error(error.status(), error.what());
  } catch (const std::bad_alloc&) {
    return keep_error(SIDRA_STATUS_OUT_OF_MEMORY, "the host process is out of memory");
  } catch (const std::exception& error) {
    return keep_error(SIDRA_STATUS_INTERNAL, error.what());
  } catch (...) {
    return keep_error(SIDRA_STATUS_INTERNAL, "something that is no exception was thrown");
  }
}

}  // namespace sidra
