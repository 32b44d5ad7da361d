// Every row of kernels.inc runs every case: the scalar row against an oracle in double, the others
// against the scalar row, bit for bit.
#include "kernels/quantize/quantize.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/quantize/kernels.h"
#include "testing/check.h"

namespace sidra::kernels {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kSmallest = std::numeric_limits<float>::denorm_min();
constexpr float kSmallestNormal = std::numeric_limits<float>::min();
constexpr uint8_t kGuard = 0xA5;
constexpr uint64_t kGuards = 70;  // more than the widest store

struct Quantized {
  std::vector<uint8_t> codes;  // with guards at both ends
  float scale = -1;
  int32_t zero = -1;

  int code(uint64_t k) const { return codes[kGuards + k]; }
};

constexpr double kAnySquares = std::numeric_limits<double>::infinity();

Quantized run(const QuantizeKernel& kernel, const std::vector<float>& x, int32_t limit,
              uint64_t padded, double most_squares = kAnySquares) {
  Quantized out;
  out.codes.assign(padded + 2 * kGuards, kGuard);
  kernel.function(x.data(), x.size(), padded, limit, most_squares, out.codes.data() + kGuards,
                  &out.scale, &out.zero);
  return out;
}

Quantized run_static(const QuantizeKernel& kernel, const std::vector<float>& x, int32_t limit,
                     float scale, int32_t zero, uint64_t padded) {
  Quantized out{{}, scale, zero};
  out.codes.assign(padded + 2 * kGuards, kGuard);
  kernel.static_function(x.data(), x.size(), padded, limit, scale, zero,
                         out.codes.data() + kGuards);
  return out;
}

// The nearest integer, the even one of two equally near: independent of the rounding mode.
double half_even(double x) {
  const double below = std::floor(x), rest = x - below;
  if (rest != 0.5) return rest < 0.5 ? below : below + 1;
  return std::fmod(below, 2) == 0 ? below : below + 1;
}

// A product of two floats is exact in double; rounding it once makes it the float32 operation.
uint8_t oracle_code(float x, float inverse, int32_t zero, int32_t limit) {
  double step = std::isnan(x) ? 0 : x;
  if (std::isfinite(x)) step = static_cast<float>(double{x} * inverse);
  if (std::isfinite(step)) step = half_even(step);
  return static_cast<uint8_t>(std::clamp(step + zero, 0.0, double(limit)));
}

// 32 partial sums, folded in halves.
float oracle_squares(const std::vector<float>& x) {
  std::vector<float> sums(32);
  for (size_t k = 0; k < x.size(); ++k) {
    const float square = static_cast<float>(double{x[k]} * x[k]);
    if (std::isfinite(x[k])) sums[k % 32] = static_cast<float>(double{sums[k % 32]} + square);
  }
  for (; sums.size() > 1; sums.resize(sums.size() / 2)) {
    for (size_t j = 0; j < sums.size() / 2; ++j) sums[j] = sums[j] + sums[j + sums.size() / 2];
  }
  return sums[0];
}

Quantized oracle(const std::vector<float>& x, int32_t limit, uint64_t padded, double most_squares) {
  double low = 0, high = 0;
  for (float value : x) {
    if (std::isfinite(value)) low = std::min<double>(low, value);
    if (std::isfinite(value)) high = std::max<double>(high, value);
  }
  double span = high - low;
  const float squares = oracle_squares(x);
  if (squares < kInfinity) span = std::max(span, limit * std::sqrt(squares / most_squares));
  Quantized out;
  out.scale = static_cast<float>(span / limit);
  float inverse = static_cast<float>(limit / span);
  const bool usable = out.scale > 0 && out.scale < kInfinity && inverse > 0 && inverse < kInfinity;
  if (!usable) out.scale = 1, inverse = 0, low = 0;
  out.zero = static_cast<int32_t>(half_even(static_cast<float>(-low * double{inverse})));
  out.codes.assign(padded + 2 * kGuards, kGuard);
  std::fill_n(out.codes.begin() + kGuards, padded, uint8_t{0});
  for (size_t k = 0; k < x.size(); ++k) {
    out.codes[kGuards + k] = oracle_code(x[k], inverse, out.zero, limit);
  }
  return out;
}

Quantized oracle_static(const std::vector<float>& x, int32_t limit, float scale, int32_t zero,
                        uint64_t padded) {
  Quantized out{std::vector<uint8_t>(padded + 2 * kGuards, kGuard), scale, zero};
  std::fill_n(out.codes.begin() + kGuards, padded, uint8_t{0});
  for (size_t k = 0; k < x.size(); ++k) {
    const float inverse = static_cast<float>(1.0 / double{scale});
    out.codes[kGuards + k] = oracle_code(x[k], inverse, zero, limit);
  }
  return out;
}

std::string difference(const Quantized& got, const Quantized& want) {
  if (std::memcmp(&got.scale, &want.scale, sizeof(float)) != 0) {
    return "scale is " + std::to_string(got.scale) + ", expected " + std::to_string(want.scale);
  }
  if (got.zero != want.zero) return "zero is " + std::to_string(got.zero);
  for (size_t i = 0; i < got.codes.size(); ++i) {
    if (got.codes[i] == want.codes[i]) continue;
    return "byte " + std::to_string(i) + " of " + std::to_string(got.codes.size()) + " is " +
           std::to_string(got.codes[i]) + ", expected " + std::to_string(want.codes[i]);
  }
  return "";
}

void check(const QuantizeKernel& kernel, const std::vector<float>& x, int32_t limit,
           uint64_t padding = 0) {
  const uint64_t padded = x.size() + padding;
  const double few = 0.02 * limit * limit * static_cast<double>(x.size() + 1);
  for (double most_squares : {kAnySquares, few, 1.0}) {
    const Quantized want = kernel.isa == Isa::kScalar
                               ? oracle(x, limit, padded, most_squares)
                               : run(quantize_kernels()[0], x, limit, padded, most_squares);
    CHECK_EQ(difference(run(kernel, x, limit, padded, most_squares), want), "");
  }
}

void check_static(const QuantizeKernel& kernel, const std::vector<float>& x, int32_t limit,
                  float scale, int32_t zero, uint64_t padding = 0) {
  const uint64_t padded = x.size() + padding;
  const Quantized want = kernel.isa == Isa::kScalar
                             ? oracle_static(x, limit, scale, zero, padded)
                             : run_static(quantize_kernels()[0], x, limit, scale, zero, padded);
  CHECK_EQ(difference(run_static(kernel, x, limit, scale, zero, padded), want), "");
}

std::vector<float> random_vector(uint64_t count, float low, float high, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> x(count);
  for (float& value : x) {
    value = low + (high - low) * (static_cast<float>(random() >> 8) / (1 << 24));
  }
  return x;
}

void every_count(const QuantizeKernel& kernel) {
  for (int count = 0; count <= 2 * kernel.columns + 1; ++count) {
    for (uint64_t padding : {0, 1, 3, 40}) {
      const auto x = random_vector(static_cast<uint64_t>(count), -1, 2, 5);
      check(kernel, x, 255, padding);
      check_static(kernel, x, 255, 0.01f, 85, padding);
    }
  }
}

void larger_counts(const QuantizeKernel& kernel) {
  for (uint64_t count : {62, 63, 64, 65, 127, 129, 255, 256, 257, 384, 768, 3072, 5001}) {
    const auto x = random_vector(count, -3, 5, static_cast<uint32_t>(count));
    check(kernel, x, 255, 3);
    check_static(kernel, x, 255, 8.0f / 255, 96, 3);
  }
}

void every_bit_width(const QuantizeKernel& kernel) {
  for (int bits = 1; bits <= 8; ++bits) {
    const int32_t limit = (1 << bits) - 1;
    const auto x = random_vector(100, -1, 1, static_cast<uint32_t>(bits));
    check(kernel, x, limit);
    check_static(kernel, x, limit, 2.0f / static_cast<float>(limit), limit / 2);
  }
}

void one_sided_ranges_include_zero(const QuantizeKernel& kernel) {
  const auto positive = random_vector(50, 3, 4, 1), negative = random_vector(50, -4, -3, 2);
  check(kernel, positive, 255);
  check(kernel, negative, 255);
  CHECK_EQ(run(kernel, positive, 255, 50).zero, 0);
  CHECK_EQ(run(kernel, negative, 255, 50).zero, 255);
}

// Range [-100, 155]: scale is exactly 1, so halves are ties.
void exact_ties(const QuantizeKernel& kernel) {
  std::vector<float> x = {-100, 155};
  for (int i = -100; i < 155; ++i) x.push_back(static_cast<float>(i) + 0.5f);
  check(kernel, x, 255);
  check_static(kernel, x, 255, 1, 100);
  const Quantized got = run(kernel, x, 255, x.size());
  CHECK_EQ(got.scale, 1.0f);
  CHECK_EQ(got.zero, 100);
  CHECK_EQ(got.code(2 + 100), 100);      // 0.5 to 0
  CHECK_EQ(got.code(2 + 100 + 1), 102);  // 1.5 to 2
  CHECK_EQ(got.code(2 + 100 - 1), 100);  // -0.5 to 0
  CHECK_EQ(got.code(2 + 100 - 2), 98);   // -1.5 to -2
}

void nan_and_infinities_take_no_part_in_the_range(const QuantizeKernel& kernel) {
  for (uint64_t count : {5, 16, 64, 70, 133}) {
    for (uint64_t at = 0; at < count; ++at) {
      std::vector<float> x = random_vector(count, -1, 2, 9);
      x[0] = -1, x[1] = 2;
      const Quantized clean = run(kernel, x, 255, count);
      for (float special : {kNan, -kNan, kInfinity, -kInfinity}) {
        std::vector<float> y = x;
        y.push_back(special);
        std::swap(y[at], y.back());
        check(kernel, y, 255, 2);
        check_static(kernel, y, 255, clean.scale, clean.zero, 2);
        const Quantized got = run(kernel, y, 255, y.size());
        CHECK_EQ(got.scale, clean.scale);
        CHECK_EQ(got.zero, clean.zero);
        const int want = std::isnan(special) ? clean.zero : special > 0 ? 255 : 0;
        CHECK_EQ(got.code(at), want);
      }
    }
  }
}

void vectors_without_a_range(const QuantizeKernel& kernel) {
  const std::vector<float> none[] = {
      std::vector<float>(20, 0.0f),     std::vector<float>(20, -0.0f),
      std::vector<float>(20, kNan),     std::vector<float>(20, kSmallest),
      {0, kNan, kInfinity, -kInfinity}, {kSmallest, -kSmallest, kInfinity, -kInfinity, kNan}};
  for (const std::vector<float>& x : none) {
    check(kernel, x, 255, 4);
    const Quantized got = run(kernel, x, 255, x.size());
    CHECK_EQ(got.scale, 1.0f);
    CHECK_EQ(got.zero, 0);
    for (size_t k = 0; k < x.size(); ++k) {
      CHECK_EQ(got.code(k), x[k] == kInfinity ? 255 : 0);
    }
  }
}

// Spans past the largest float, and spans around the least that has an inverse.
void ranges_at_the_ends_of_float32(const QuantizeKernel& kernel) {
  for (int32_t limit : {1, 2, 15, 255}) {
    check(kernel, {kLargest, -kLargest, 0, 1e38f, -3e38f, kInfinity, kNan}, limit);
    check(kernel, {kLargest, 1, -1}, limit);
    for (float span = 1e-45f; span < 1e-30f; span *= 3) {
      check(kernel, {span, -span / 3, span / 2, 0, kNan, kInfinity, -kInfinity}, limit);
    }
  }
  CHECK(std::isfinite(run(kernel, {kLargest, -kLargest}, 255, 2).scale));
  CHECK_EQ(run(kernel, {kLargest, -kLargest}, 1, 2).scale, 1.0f);  // f32(span / 1) overflows
}

// Values that are their own codes, until a fraction of their squares is allowed.
void squares_beyond_the_most_widen_the_range(const QuantizeKernel& kernel) {
  const std::vector<float> x = {0, 255, 0};
  CHECK_EQ(run(kernel, x, 255, 3, 65025).code(1), 255);
  const Quantized got = run(kernel, x, 255, 3, 65025.0 / 25);
  CHECK_EQ(got.scale, 5.0f);
  CHECK_EQ(got.code(1), 51);
  const Quantized shifted = run(kernel, {-100, 155}, 255, 2, (10000 + 24025) / 4.0);
  CHECK_EQ(shifted.scale, 2.0f);
  CHECK_EQ(shifted.zero, 50);
  CHECK_EQ(shifted.code(1), 128);  // 77.5 to 78
}

void squares_are_of_finite_elements(const QuantizeKernel& kernel) {
  const std::vector<float> x = {kInfinity, 255, kNan, -kInfinity};
  CHECK_EQ(run(kernel, x, 255, 4, 65025.0 / 25).scale, 5.0f);
}

void squares_that_overflow_widen_nothing(const QuantizeKernel& kernel) {
  CHECK_EQ(run(kernel, {1e30f, 1e30f}, 255, 2, 1).code(0), 255);
}

void static_range_clips(const QuantizeKernel& kernel) {
  const std::vector<float> x = {-1e30f, 1e30f,     -kLargest, kLargest, -1,        1,
                                0,      -0.0f,     300,       -300,     kInfinity, -kInfinity,
                                kNan,   kSmallest, 1e9f,      -1e9f,    2.5f,      3.5f};
  for (float scale : {kSmallestNormal, 1e-20f, 0.5f, 1.0f, 3.0f, 1e20f, kLargest}) {
    for (int32_t zero : {0, 1, 127, 128, 255}) check_static(kernel, x, 255, scale, zero);
    for (int32_t zero : {0, 3, 7}) check_static(kernel, x, 7, scale, zero);
  }
}

// Any bits: every class of float32, many vectors of all exponents mixed.
void random_bits(const QuantizeKernel& kernel) {
  std::mt19937 random(11);
  for (int i = 0; i < 400; ++i) {
    std::vector<float> x(1 + random() % 100);
    const uint32_t exponents = i % 4 == 0 ? 0xffffffff : 0x8fffffff | random() % 8 << 28;
    for (float& value : x) {
      const uint32_t bits = static_cast<uint32_t>(random()) & exponents;
      std::memcpy(&value, &bits, sizeof bits);
    }
    check(kernel, x, 255, random() % 5);
    check(kernel, x, 15, random() % 5);
    check_static(kernel, x, 255, 1.5f, 100, random() % 5);
  }
}

void unaligned_vectors(const QuantizeKernel& kernel) {
  const auto x = random_vector(200, -1, 1, 4);
  for (uint64_t skip = 0; skip < 17; ++skip) {
    std::vector<uint8_t> codes(200 + skip);
    float scale;
    int32_t zero;
    kernel.function(x.data() + skip, 200 - skip, 200 - skip, 255, kAnySquares, codes.data() + skip,
                    &scale, &zero);
    const std::vector<float> rest(x.begin() + static_cast<long>(skip), x.end());
    const Quantized want = run(quantize_kernels()[0], rest, 255, rest.size());
    CHECK(std::equal(codes.begin() + static_cast<long>(skip), codes.begin() + 200,
                     want.codes.begin() + kGuards));
  }
}

struct Case {
  const char* name;
  void (*body)(const QuantizeKernel&);
};

#define SIDRA_CASE(name) {#name, name}
constexpr Case kCases[] = {
    SIDRA_CASE(every_count),
    SIDRA_CASE(larger_counts),
    SIDRA_CASE(every_bit_width),
    SIDRA_CASE(one_sided_ranges_include_zero),
    SIDRA_CASE(exact_ties),
    SIDRA_CASE(nan_and_infinities_take_no_part_in_the_range),
    SIDRA_CASE(vectors_without_a_range),
    SIDRA_CASE(ranges_at_the_ends_of_float32),
    SIDRA_CASE(squares_beyond_the_most_widen_the_range),
    SIDRA_CASE(squares_are_of_finite_elements),
    SIDRA_CASE(squares_that_overflow_widen_nothing),
    SIDRA_CASE(static_range_clips),
    SIDRA_CASE(random_bits),
    SIDRA_CASE(unaligned_vectors),
};

void add_kernel_tests() {
  for (const QuantizeKernel& kernel : quantize_kernels()) {
    for (const Case& test : kCases) {
      sidra::testing::add_test(std::string(kernel.name) + "." + test.name, [&kernel, &test] {
        if (!isa_supported(kernel.isa)) {
          throw sidra::testing::Skipped(std::string("no ") + isa_name(kernel.isa) + " here");
        }
        test.body(kernel);
      });
    }
  }
}

TEST(the_list_starts_with_scalar_and_names_end_with_their_isa) {
  CHECK(quantize_kernels()[0].isa == Isa::kScalar);
  for (const QuantizeKernel& kernel : quantize_kernels()) {
    const std::string name = kernel.name, suffix = std::string("_") + isa_name(kernel.isa);
    CHECK(name.size() > suffix.size());
    CHECK_EQ(name.substr(name.size() - suffix.size()), suffix);
  }
}

TEST(the_selected_row_is_the_one_of_the_selected_isa) {
  const QuantizeKernel& row = isa_row(quantize_kernels(), selected_isa());
  CHECK(row.function == quantize_function());
  CHECK(row.static_function == quantize_static_function());
  CHECK_EQ(row.name, std::string(quantize_name()));
}

}  // namespace
}  // namespace sidra::kernels

int main(int argc, char** argv) {
  sidra::kernels::add_kernel_tests();
  return sidra::testing::run_all(argc, argv);
}
