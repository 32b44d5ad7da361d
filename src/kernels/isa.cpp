#include "kernels/isa.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace sidra::kernels {
namespace {

struct IsaInfo {
  Isa isa;
  const char* name;
  Isa base;
};

constexpr IsaInfo kInfos[] = {
    {Isa::kScalar, "scalar", Isa::kScalar},         {Isa::kAvx2, "avx2", Isa::kScalar},
    {Isa::kAvxVnni, "avxvnni", Isa::kAvx2},         {Isa::kAvx512, "avx512", Isa::kAvx2},
    {Isa::kAvx512Vnni, "avx512vnni", Isa::kAvx512}, {Isa::kAmxInt8, "amxint8", Isa::kAvx512Vnni},
};

constexpr Isa kIsas[] = {Isa::kScalar, Isa::kAvx2,       Isa::kAvxVnni,
                         Isa::kAvx512, Isa::kAvx512Vnni, Isa::kAmxInt8};

const IsaInfo& info(Isa isa) { return kInfos[static_cast<int>(isa)]; }

// What processor and operating system offer. The operating system must save the registers too:
// XCR0 holds bits 1 and 2 for 256-bit registers, 5 to 7 for 512-bit ones, 17 and 18 for tiles.
struct Features {
  bool avx2 = false, avxvnni = false, avx512 = false, avx512vnni = false, amxint8 = false;
};

#if defined(__x86_64__)
uint64_t xcr0() {
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

bool has(uint32_t word, std::initializer_list<int> bits) {
  for (int bit : bits) {
    if ((word >> bit & 1) == 0) return false;
  }
  return true;
}

// Linux gives a process the large tile registers only when asked; threads and forks inherit them.
bool may_use_tiles() {
#if defined(__linux__)
  constexpr long kArchRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kArchRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

Features detect() {
  Features features;
  uint32_t a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return features;
  const bool saves_registers = has(c, {27, 28});  // OSXSAVE, AVX
  if (!saves_registers || (xcr0() & 0x6) != 0x6) return features;
  const bool saves_512 = (xcr0() & 0xe6) == 0xe6;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return features;
  const uint32_t subleaves = a;
  features.avx2 = has(b, {5});
  features.avx512 = features.avx2 && saves_512 && has(b, {16, 17, 30, 31});  // F, DQ, BW, VL
  features.avx512vnni = features.avx512 && has(c, {11});
  const bool saves_tiles = (xcr0() & 0x60000) == 0x60000;
  features.amxint8 =
      features.avx512vnni && saves_tiles && has(d, {24, 25}) && may_use_tiles();  // TILE, INT8
  if (subleaves >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) {
    features.avxvnni = features.avx2 && has(a, {4});
  }
  return features;
}
#else
Features detect() { return {}; }
#endif

[[noreturn]] void refuse(const std::string& value, const char* why,
                         std::span<const Isa> supported) {
  std::string message = "SIDRA_ISA=" + value + " " + why + "; here work:";
  for (Isa isa : supported) message += std::string(" ") + isa_name(isa);
  throw std::runtime_error(message);
}

}  // namespace

const char* isa_name(Isa isa) { return info(isa).name; }

Isa isa_base(Isa isa) { return info(isa).base; }

std::span<const Isa> all_isas() { return kIsas; }

bool isa_supported(Isa isa) {
  static const Features features = detect();
  switch (isa) {
    case Isa::kScalar:
      return true;
    case Isa::kAvx2:
      return features.avx2;
    case Isa::kAvxVnni:
      return features.avxvnni;
    case Isa::kAvx512:
      return features.avx512;
    case Isa::kAvx512Vnni:
      return features.avx512vnni;
    case Isa::kAmxInt8:
      return features.amxint8;
  }
  return false;
}

std::vector<Isa> supported_isas() {
  std::vector<Isa> supported;
  for (Isa isa : kIsas) {
    if (isa_supported(isa)) supported.push_back(isa);
  }
  return supported;
}

Isa select_isa(const char* forced, std::span<const Isa> supported) {
  if (forced == nullptr || *forced == '\0') return supported.back();
  for (Isa isa : kIsas) {
    if (isa_name(isa) != std::string(forced)) continue;
    if (std::find(supported.begin(), supported.end(), isa) != supported.end()) return isa;
    refuse(forced, "is not supported by this processor", supported);
  }
  refuse(forced, "is not an instruction set of this library", supported);
}

Isa selected_isa() {
  static const Isa isa = select_isa(std::getenv("SIDRA_ISA"), supported_isas());
  return isa;
}

}  // namespace sidra::kernels
