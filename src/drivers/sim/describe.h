// What the simulator is made of, for people and tools.
#pragma once

namespace sidra::sim {

// JSON: {"isa": name, "microkernels": [{"family", "name", "isa", "supported", "selected"}, ...]}.
// Null when SIDRA_ISA names an instruction set that cannot be used.
const char* describe() noexcept;

}  // namespace sidra::sim
