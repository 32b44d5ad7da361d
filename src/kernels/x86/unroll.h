// SIDRA_UNROLL before a loop of at most 8 constant steps unrolls it completely, so that arrays of
// vectors indexed by it become registers.
#pragma once

#if defined(__clang__)
#define SIDRA_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SIDRA_UNROLL _Pragma("GCC unroll 8")
#endif
