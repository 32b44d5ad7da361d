#include "machine.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "buffer.h"
#include "timing.h"

namespace sidra::bench {
namespace {

using kernels::Isa;

constexpr uint64_t kPrefetchAhead[] = {0, 512, 1024, 2048, 4096};  // bytes

#if defined(__x86_64__)
// Assembly, so that no compiler flag is needed and no compiler decides what is measured. Clobbering
// xmm<i> covers the wider register of that number.
#define SIDRA_CLOBBERS                                                                     \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
      "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory"

// 12 accumulators: more than the 8 that keep two units of 4 cycles latency busy.
#define SIDRA_TWELVE(step) \
  step(0) step(1) step(2) step(3) step(4) step(5) step(6) step(7) step(8) step(9) step(10) step(11)
#define SIDRA_DOT_512(i) "vpdpbusd %%zmm14, %%zmm15, %%zmm" #i "\n"
#define SIDRA_DOT_256(i) "%{vex%} vpdpbusd %%ymm14, %%ymm15, %%ymm" #i "\n"
#define SIDRA_PAIRS_512(i) \
  "vpmaddwd %%zmm14, %%zmm15, %%zmm12\n vpaddd %%zmm12, %%zmm" #i ", %%zmm" #i "\n"
#define SIDRA_PAIRS_256(i) \
  "vpmaddwd %%ymm14, %%ymm15, %%ymm12\n vpaddd %%ymm12, %%ymm" #i ", %%ymm" #i "\n"
#define SIDRA_MULTIPLY(step)                                                  \
  __asm__ volatile("1:\n" SIDRA_TWELVE(step) "dec %0\n jnz 1b\n vzeroupper\n" \
                   : "+r"(rounds)                                             \
                   :                                                          \
                   : SIDRA_CLOBBERS)

#define SIDRA_TILE(sum) "tdpbusd %%tmm6, %%tmm4, %%tmm" #sum "\n"
#define SIDRA_FOUR_TILES SIDRA_TILE(0) SIDRA_TILE(1) SIDRA_TILE(2) SIDRA_TILE(3)

// Twelve products of whole tiles a round: 16 x 64 codes by 64 x 16 levels.
void multiply_tiles(uint64_t rounds) {
  struct alignas(64) {
    uint8_t palette = 1, start_row = 0, reserved[14] = {};
    uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  } const shapes;
  __asm__ volatile("ldtilecfg %1\n 1:\n" SIDRA_FOUR_TILES SIDRA_FOUR_TILES SIDRA_FOUR_TILES
                   "dec %0\n jnz 1b\n tilerelease\n"
                   : "+r"(rounds)
                   : "m"(shapes)
                   : "cc");
}

void multiply(Isa isa, uint64_t rounds) {
  switch (isa) {
    case Isa::kScalar:
      break;
    case Isa::kAvx2:
      SIDRA_MULTIPLY(SIDRA_PAIRS_256);
      break;
    case Isa::kAvxVnni:
      SIDRA_MULTIPLY(SIDRA_DOT_256);
      break;
    case Isa::kAvx512:
      SIDRA_MULTIPLY(SIDRA_PAIRS_512);
      break;
    case Isa::kAvx512Vnni:
      SIDRA_MULTIPLY(SIDRA_DOT_512);
      break;
    case Isa::kAmxInt8:
      multiply_tiles(rounds);
      break;
  }
}

// Four cache lines a round; with %2 bytes of prefetch ahead or none.
#define SIDRA_LINE_512(at) "vmovdqu64 " #at "(%0), %%zmm0\n"
#define SIDRA_LINE_256(at) "vmovdqu " #at "(%0), %%ymm0\n vmovdqu 32+" #at "(%0), %%ymm1\n"
#define SIDRA_LINE_128(at)                      \
  "movdqu " #at "(%0), %%xmm0\n movdqu 16+" #at \
  "(%0), %%xmm1\n"                              \
  "movdqu 32+" #at "(%0), %%xmm2\n movdqu 48+" #at "(%0), %%xmm3\n"
#define SIDRA_PREFETCH(at) "prefetcht0 " #at "(%0, %2)\n"
#define SIDRA_NONE(at) ""
#define SIDRA_FOUR(step) step(0) step(64) step(128) step(192)
#define SIDRA_READ(line, prefetch, end_of_loop)                                           \
  __asm__ volatile("1:\n" SIDRA_FOUR(prefetch)                                            \
                       SIDRA_FOUR(line) "add $256, %0\n cmp %1, %0\n jb 1b\n" end_of_loop \
                   : "+r"(p)                                                              \
                   : "r"(end), "r"(ahead)                                                 \
                   : SIDRA_CLOBBERS)

void read(Isa isa, const char* p, const char* end, uint64_t ahead) {
  const bool is_512 = isa >= Isa::kAvx512;
  if (is_512 && ahead > 0) {
    SIDRA_READ(SIDRA_LINE_512, SIDRA_PREFETCH, "vzeroupper\n");
  } else if (is_512) {
    SIDRA_READ(SIDRA_LINE_512, SIDRA_NONE, "vzeroupper\n");
  } else if (isa != Isa::kScalar && ahead > 0) {
    SIDRA_READ(SIDRA_LINE_256, SIDRA_PREFETCH, "vzeroupper\n");
  } else if (isa != Isa::kScalar) {
    SIDRA_READ(SIDRA_LINE_256, SIDRA_NONE, "vzeroupper\n");
  } else {
    SIDRA_READ(SIDRA_LINE_128, SIDRA_NONE, "");
  }
}
#else
void multiply(Isa, uint64_t) {}

void read(Isa, const char* p, const char* end, uint64_t) {
  uint64_t sum = 0, word;
  for (; p < end; p += sizeof word) {
    std::memcpy(&word, p, sizeof word);
    sum += word;
  }
  volatile uint64_t sink = sum;
  (void)sink;
}
#endif

// Products of one instruction, or pair of instructions: 4 a 32-bit lane, 2 without VNNI; of a tile.
int macs_per_step(Isa isa) {
  switch (isa) {
    case Isa::kScalar:
      return 0;
    case Isa::kAvx2:
      return 8 * 2;
    case Isa::kAvxVnni:
      return 8 * 4;
    case Isa::kAvx512:
      return 16 * 2;
    case Isa::kAvx512Vnni:
      return 16 * 4;
    case Isa::kAmxInt8:
      return 16 * 16 * 64;
  }
  return 0;
}

uint64_t cache_bytes(int name, uint64_t otherwise) {
  const long bytes = sysconf(name);
  return bytes > 0 ? static_cast<uint64_t>(bytes) : otherwise;
}

}  // namespace

double peak_macs_per_second(Isa isa) {
  constexpr uint64_t kRounds = 100000;
  const double seconds = best_seconds(1, 50, [&] { multiply(isa, kRounds); });
  return macs_per_step(isa) * 12.0 * kRounds / seconds;
}

double memory_bytes_per_second(Isa isa) {
  constexpr uint64_t kPiece = 1 << 20;
  const uint64_t pieces = more_than_caches_bytes() / kPiece;
  const Buffer<char> buffer(pieces * kPiece);
  double best = 0;
  for (uint64_t ahead : kPrefetchAhead) {
    const double seconds = median_seconds(3 * pieces, [&](uint64_t i) {
      const char* piece = buffer.get() + i % pieces * kPiece;
      read(isa, piece, piece + kPiece, ahead);
    });
    best = std::max(best, kPiece / seconds);
  }
  return best;
}

double l2_bytes_per_second(Isa isa) {
  const uint64_t size = l2_bytes() / 2 / 256 * 256;
  const Buffer<char> buffer(size);
  double best = 0;
  for (uint64_t ahead : kPrefetchAhead) {
    const double seconds =
        best_seconds(50, 50, [&] { read(isa, buffer.get(), buffer.get() + size, ahead); });
    best = std::max(best, static_cast<double>(size) / seconds);
  }
  return best;
}

uint64_t l2_bytes() { return cache_bytes(_SC_LEVEL2_CACHE_SIZE, 1 << 20); }
uint64_t more_than_caches_bytes() { return 8 * cache_bytes(_SC_LEVEL3_CACHE_SIZE, 32 << 20); }

}  // namespace sidra::bench
