#include "drivers/sim/describe.h"

#include <cstring>
#include <exception>
#include <sstream>
#include <string>

#include "kernels/isa.h"
#include "kernels/mvm/kernels.h"
#include "kernels/quantize/kernels.h"

namespace sidra::sim {
namespace {

// Rows of one family; names are C identifiers, so no character needs an escape.
template <typename Rows>
void append(std::ostringstream& text, const char* family, const Rows& rows, const char* selected) {
  for (const auto& row : rows) {
    const bool supported = kernels::isa_supported(row.isa);
    const bool runs = std::strcmp(row.name, selected) == 0;
    text << (text.str().back() == '[' ? "" : ", ") << "{\"family\": \"" << family
         << "\", \"name\": \"" << row.name << "\", \"isa\": \"" << kernels::isa_name(row.isa)
         << "\", \"supported\": " << (supported ? "true" : "false")
         << ", \"selected\": " << (runs ? "true" : "false") << '}';
  }
}

std::string description() {
  std::ostringstream text;
  text << "{\"isa\": \"" << kernels::isa_name(kernels::selected_isa()) << "\", \"microkernels\": [";
  append(text, "mvm", kernels::mvm_kernels(), kernels::mvm_name());
  append(text, "quantize", kernels::quantize_kernels(), kernels::quantize_name());
  text << "]}";
  return text.str();
}

}  // namespace

const char* describe() noexcept {
  try {
    static const std::string& text = *new std::string(description());  // outlives static objects
    return text.c_str();
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace sidra::sim
