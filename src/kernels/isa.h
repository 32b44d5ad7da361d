// Instruction sets that microkernels are written for, and which of them this process uses.
#pragma once

#include <span>
#include <string>

namespace sidra::kernels {

// In order of preference: a later one is taken when the processor has it.
enum class Isa { kScalar, kAvx2, kAvx512, kAvx512Vnni };

const char* isa_name(Isa isa);        // "scalar", "avx2", "avx512", "avx512vnni"
bool isa_supported(Isa isa);          // by this processor and operating system
std::span<const Isa> all_isas();

// The instruction set in use: SIDRA_ISA if set, else the best supported one. Read once.
// Throws std::runtime_error, naming the value and what would work, when SIDRA_ISA is unknown or
// not supported here: a forced choice that cannot be honoured is an error.
Isa selected_isa();

}  // namespace sidra::kernels
