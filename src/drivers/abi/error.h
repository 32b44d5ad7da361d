// Failures inside the driver: an exception with a status, turned into one at the ABI.
#pragma once

#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>

#include "sidra/driver.h"

namespace sidra {

class Error : public std::runtime_error {
 public:
  Error(sidra_status status, const std::string& text) : std::runtime_error(text), status_(status) {}
  sidra_status status() const { return status_; }

 private:
  sidra_status status_;
};

// Throws Error with the parts written one after the other.
template <typename... Parts>
[[noreturn, gnu::noinline, gnu::cold]] void fail(sidra_status status, const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  throw Error(status, text.str());
}

// A device address as people read it.
inline std::string hex(uint64_t address) {
  std::ostringstream text;
  text << "0x" << std::hex << address;
  return text.str();
}

}  // namespace sidra
