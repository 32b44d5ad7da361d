// What one core of this machine can do, measured: the figures that timings are compared with.
#pragma once

#include <cstdint>

#include "kernels/isa.h"

namespace sidra::bench {

// Multiply-accumulates of 8-bit operands a second, of the instructions that the rows of `isa` use,
// with all operands in registers: vpdpbusd, or vpmaddwd and vpaddd. 0 for scalar.
double peak_macs_per_second(kernels::Isa isa);

// Bytes a second read one after the other with the widest loads of `isa`; the better one of with
// and without software prefetch.
double memory_bytes_per_second(kernels::Isa isa);
double l2_bytes_per_second(kernels::Isa isa);

uint64_t l2_bytes();
// Enough that whatever comes round again after them comes from memory.
uint64_t more_than_caches_bytes();

}  // namespace sidra::bench
