// The vector operations of microkernels for AVX-512 with VNNI.
// vpdpbusd: four unsigned by signed byte products added to each 32-bit lane, without saturation.
// Everything has internal linkage, for the reason given in vector512.h.
#pragma once

#include "kernels/x86/vector512.h"

namespace sidra::kernels {
namespace {

// 6 vectors x 4 column registers = 24 accumulators, 4 registers of levels, and the codes: 30 of 32.
// Each row group takes 24 vpdpbusd and 10 loads, so two multipliers are busy with one load port.
struct Avx512Vnni : Vector512 {
  using Codes = Int;
  using Levels = Int;
  static constexpr int kMaxVectors = 6;
  static constexpr int registers(int) { return 4; }
  static constexpr bool keeps_levels(int vectors) { return vectors > 1; }
  // vpdpbusd takes 4 cycles and two start in each: 8 accumulators must be in flight.
  static constexpr int chains(int vectors) { return vectors == 1 ? 2 : 1; }

  static Codes load_codes(const uint8_t* p) { return fill_int_from(p); }
  static Levels load_levels(const int8_t* p) { return Int(_mm512_loadu_si512(p)); }
  static Int multiply_add(Int sum, Codes codes, Levels levels) {
    return Int(_mm512_dpbusd_epi32(__m512i(sum), __m512i(codes), __m512i(levels)));
  }
};

}  // namespace
}  // namespace sidra::kernels
