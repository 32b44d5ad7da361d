// The table of placement.inc, looked up by operator name.
#pragma once

#include <cstdint>
#include <string>

namespace sidra::aten {

enum class WorkRule { kElements, kProduct, kAttention, kMove, kGather, kNone };

struct Placement {
  bool on_host;
  bool fallback;  // not listed: on the host because the chip has no place for it
  WorkRule rule;
  uint8_t alu_operations, lookups;  // per element, kElements only
};

// `name` is the operator's with its namespace: "aten::add_".
Placement placement_of(const std::string& name);

}  // namespace sidra::aten
