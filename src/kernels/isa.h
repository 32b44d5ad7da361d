// Instruction sets that microkernels are written for, and which of them this process uses.
#pragma once

#include <span>
#include <vector>

namespace sidra::kernels {

// In order of preference: a later one is taken when the processor has it.
//   kAvx512 means AVX-512 F, BW, DQ and VL: what every server processor with AVX-512 has.
//   kAmxInt8 means AMX tiles with INT8 products, beside AVX-512 VNNI.
enum class Isa { kScalar, kAvx2, kAvxVnni, kAvx512, kAvx512Vnni, kAmxInt8 };

const char* isa_name(Isa isa);  // "scalar", "avx2", "avxvnni", "avx512", "avx512vnni", "amxint8"
// By this processor and operating system. The first call asks Linux to let this process use AMX.
bool isa_supported(Isa isa);
std::span<const Isa> all_isas();
std::vector<Isa> supported_isas();

// The instruction set that `isa` extends: a family without a row for `isa` runs that one's.
// kScalar extends itself; every family has a scalar row.
Isa isa_base(Isa isa);

// The instruction set named `forced`, or the last of `supported` when it is null or empty.
// Throws std::runtime_error, naming the value and what would work, when it is unknown or not
// supported: a forced choice that cannot be honoured is an error.
Isa select_isa(const char* forced, std::span<const Isa> supported);

// select_isa of the environment variable SIDRA_ISA and of what this machine supports. Read once.
Isa selected_isa();

// The row of a family's list that `isa` runs.
//   Row has a member `isa`; `rows` holds one row of Isa::kScalar
template <typename Row>
const Row& isa_row(std::span<const Row> rows, Isa isa) {
  for (;; isa = isa_base(isa)) {
    for (const Row& row : rows) {
      if (row.isa == isa) return row;
    }
  }
}

}  // namespace sidra::kernels
