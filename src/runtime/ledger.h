// The ledger: what ran where. One line per operator and place, summed over all calls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sidra/driver.h"

namespace sidra::runtime {

enum class Place { kCrossbar, kEngine, kHost };
const char* place_name(Place place);  // "crossbar", "compute_engine", "host"

struct LedgerEntry {
  std::string operator_name;  // "aten::addmm"
  Place place;
  std::string reason;  // of a fallback to the host, "" otherwise
  uint64_t calls = 0;
  uint64_t bytes_moved = 0;   // between host and chip
  uint64_t copied_bytes = 0;  // by a host that could not work in place, both ways
  sidra_cost cost{};          // chip seconds, joules (both profiles)
};

// A line that calls are added to; lives for ever, so that operators may keep it.
class LedgerLine;
LedgerLine* ledger_line(const std::string& operator_name, Place place, const std::string& reason);

// What makes the line a line; never changes.
struct LedgerKey {
  const std::string& operator_name;
  Place place;
  const std::string& reason;
};
LedgerKey ledger_key(const LedgerLine* line) noexcept;

// Operators book through runtime/submission.h, which tells a running profile too.
void ledger_add(LedgerLine* line, const sidra_cost& cost, uint64_t bytes_moved,
                uint64_t copied_bytes = 0) noexcept;

std::vector<LedgerEntry> ledger_entries();  // lines with calls since the last reset
void ledger_reset();

}  // namespace sidra::runtime
