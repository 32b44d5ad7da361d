#include "runtime/ledger.h"

#include <deque>
#include <map>
#include <mutex>
#include <tuple>

namespace sidra::runtime {

// Updated by every operator, so a line has a lock of its own: two threads meet on it only when they
// run the same operator at the same moment.
class LedgerLine {
 public:
  LedgerLine(std::string operator_name, Place place, std::string reason) {
    entry_.operator_name = std::move(operator_name);
    entry_.place = place;
    entry_.reason = std::move(reason);
  }

  void add(const sidra_cost& cost, uint64_t bytes_moved, uint64_t copied_bytes) noexcept {
    const std::lock_guard lock(mutex_);
    ++entry_.calls;
    entry_.bytes_moved += bytes_moved;
    entry_.copied_bytes += copied_bytes;
    entry_.cost.chip_seconds += cost.chip_seconds;
    entry_.cost.joules += cost.joules;
    entry_.cost.datasheet_joules += cost.datasheet_joules;
  }

  LedgerKey key() const noexcept { return {entry_.operator_name, entry_.place, entry_.reason}; }

  LedgerEntry read() const {
    const std::lock_guard lock(mutex_);
    return entry_;
  }

  void reset() {
    const std::lock_guard lock(mutex_);
    entry_.calls = 0;
    entry_.bytes_moved = 0;
    entry_.copied_bytes = 0;
    entry_.cost = {};
  }

 private:
  mutable std::mutex mutex_;
  LedgerEntry entry_;
};

namespace {

struct Ledger {
  std::mutex mutex;
  std::deque<LedgerLine> lines;  // a deque: lines never move
  std::map<std::tuple<std::string, Place, std::string>, LedgerLine*> by_key;
};

Ledger& ledger() {
  static Ledger* const instance = new Ledger;  // outlives tensors freed at exit
  return *instance;
}

}  // namespace

const char* place_name(Place place) {
  switch (place) {
    case Place::kCrossbar:
      return "crossbar";
    case Place::kEngine:
      return "compute_engine";
    case Place::kHost:
      return "host";
  }
  return "";
}

LedgerLine* ledger_line(const std::string& operator_name, Place place, const std::string& reason) {
  Ledger& all = ledger();
  const std::lock_guard lock(all.mutex);
  LedgerLine*& line = all.by_key[{operator_name, place, reason}];
  if (line == nullptr) line = &all.lines.emplace_back(operator_name, place, reason);
  return line;
}

LedgerKey ledger_key(const LedgerLine* line) noexcept { return line->key(); }

void ledger_add(LedgerLine* line, const sidra_cost& cost, uint64_t bytes_moved,
                uint64_t copied_bytes) noexcept {
  line->add(cost, bytes_moved, copied_bytes);
}

std::vector<LedgerEntry> ledger_entries() {
  Ledger& all = ledger();
  const std::lock_guard lock(all.mutex);
  std::vector<LedgerEntry> entries;
  for (const LedgerLine& line : all.lines) {
    LedgerEntry entry = line.read();
    if (entry.calls > 0) entries.push_back(std::move(entry));
  }
  return entries;
}

void ledger_reset() {
  Ledger& all = ledger();
  const std::lock_guard lock(all.mutex);
  for (LedgerLine& line : all.lines) line.reset();
}

}  // namespace sidra::runtime
