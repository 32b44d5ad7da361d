// Every row of kernels.inc runs every case: the scalar row against the oracle of test_problem.h,
// the others against the scalar row, bit for bit.
#include "kernels/mvm/mvm.h"

#include <algorithm>

#include "kernels/mvm/kernels.h"
#include "kernels/mvm/test_problem.h"
#include "testing/check.h"

namespace sidra::kernels {
namespace {

void check(const MvmKernel& kernel, const Problem& problem) {
  const bool scalar = kernel.isa == Isa::kScalar;
  const std::vector<float> want = scalar ? problem.expected() : problem.run(mvm_u8i8i32_1x1_scalar);
  CHECK_EQ(difference(problem.run(kernel.function), want, problem.shape()), "");
}

void check(const MvmKernel& kernel, const Shape& shape, uint32_t seed = 1) {
  check(kernel, Problem(shape, seed));
}

void every_vector_count(const MvmKernel& kernel) {
  for (int m = 1; m <= 2 * kernel.vectors + 1; ++m) {
    check(kernel, {.vectors = static_cast<uint64_t>(m), .rows = 261, .columns = 70});
    check(kernel, {.vectors = static_cast<uint64_t>(m), .rows = 29, .adc_limit = 0});
  }
}

void vector_counts_around_a_chunk(const MvmKernel& kernel) {
  for (uint64_t m : {47, 48, 49, 96, 97, 150}) check(kernel, {.vectors = m, .rows = 36});
}

void every_column_count(const MvmKernel& kernel) {
  for (uint64_t n = 1; n <= 129; ++n) check(kernel, {.columns = n});
  for (uint64_t n : {191, 192, 193, 256, 300, 768}) check(kernel, {.columns = n});
}

void row_counts_with_and_without_adc(const MvmKernel& kernel) {
  for (uint64_t k : {1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 255, 256, 257, 511, 513, 768, 3072}) {
    for (uint64_t tile_rows : {8, 12, 256}) {
      for (float adc_limit : {127.0f, 7.0f, 0.0f}) {
        for (uint64_t m : {1, 3}) {
          check(kernel, {.vectors = m, .rows = k, .tile_rows = tile_rows, .adc_limit = adc_limit});
        }
      }
    }
  }
}

void tile_larger_than_the_matrix(const MvmKernel& kernel) {
  check(kernel, {.rows = 1000, .tile_rows = 4096});
  check(kernel, {.rows = 1000, .tile_rows = 4096, .adc_limit = 0});
}

void many_rows(const MvmKernel& kernel) {
  check(kernel, {.vectors = 2, .rows = 60000, .columns = 5});
  check(kernel, {.vectors = 2, .rows = 60000, .columns = 5, .adc_limit = 0});
}

void bias_and_relu(const MvmKernel& kernel) {
  for (bool bias : {false, true}) {
    for (bool relu : {false, true}) {
      for (uint64_t n : {64, 77}) {
        check(kernel, {.vectors = 7, .columns = n, .bias = bias, .relu = relu});
      }
    }
  }
}

void strides_and_alignments(const MvmKernel& kernel) {
  for (uint64_t gap : {0, 1, 3, 64}) {
    for (uint64_t misalign : {0, 1, 5}) {
      check(kernel, {.vectors = 8,
                     .rows = 257,
                     .columns = 130,
                     .code_gap = gap,
                     .value_gap = gap,
                     .misalign = misalign});
    }
  }
}

void extreme_codes_and_levels(const MvmKernel& kernel) {
  for (int zero : {0, 128, 255}) {
    for (int code : {0, 255}) {
      for (int level : {-128, -127, 127}) {
        for (float adc_limit : {127.0f, 0.0f}) {
          Problem problem({.rows = 512, .columns = 33, .adc_limit = adc_limit});
          for (uint64_t m = 0; m < 3; ++m) {
            problem.zero(m) = zero;
            for (uint64_t k = 0; k < 512; ++k) problem.code(m, k) = static_cast<uint8_t>(code);
          }
          for (uint64_t n = 0; n < 33; ++n) {
            for (uint64_t k = 0; k < 512; ++k) {
              problem.level(n, k) = static_cast<int8_t>(n % 2 == 0 ? level : -level);
            }
          }
          problem.pack();
          check(kernel, problem);
        }
      }
    }
  }
}

// v / 2 is a tie for every odd v: with level 1 in one row, v is code - zero.
void exact_ties(const MvmKernel& kernel) {
  Problem problem({.vectors = 256, .rows = 4, .columns = 17, .bias = false});
  for (uint64_t n = 0; n < 17; ++n) {
    for (uint64_t k = 0; k < 4; ++k) problem.level(n, k) = k == n % 4 ? 1 : 0;
    problem.inverse_delta(n) = 0.5f;
    problem.gain(n) = 1;
  }
  for (uint64_t m = 0; m < 256; ++m) {
    problem.zero(m) = 128;
    problem.scale(m) = 1;
    for (uint64_t k = 0; k < 4; ++k) problem.code(m, k) = static_cast<uint8_t>(m);
  }
  problem.pack();
  check(kernel, problem);
  const std::vector<float> got = problem.run(kernel.function);
  CHECK_EQ(got[problem.index(128 + 1, 0)], 0.0f);
  CHECK_EQ(got[problem.index(128 + 3, 1)], 2.0f);
  CHECK_EQ(got[problem.index(128 + 5, 2)], 2.0f);
  CHECK_EQ(got[problem.index(128 - 1, 3)], 0.0f);
  CHECK_EQ(got[problem.index(128 - 3, 16)], -2.0f);
}

void clips_at_the_limit(const MvmKernel& kernel) {
  Problem problem({.vectors = 2, .rows = 256, .columns = 3, .bias = false});
  for (uint64_t k = 0; k < 256; ++k) {
    for (uint64_t m = 0; m < 2; ++m) problem.code(m, k) = m == 0 ? 255 : 0;
    for (uint64_t n = 0; n < 3; ++n) problem.level(n, k) = 127;
  }
  for (uint64_t m = 0; m < 2; ++m) {
    problem.zero(m) = 128;
    problem.scale(m) = 1;
  }
  for (uint64_t n = 0; n < 3; ++n) problem.gain(n) = 1;
  problem.inverse_delta(0) = 1e-3f;  // far past the limit
  problem.inverse_delta(1) = 3e38f;  // the product overflows to infinity
  problem.inverse_delta(2) = 1e-6f;
  problem.pack();
  check(kernel, problem);
  const std::vector<float> got = problem.run(kernel.function);
  for (uint64_t n : {0, 1}) {
    CHECK_EQ(got[problem.index(0, n)], 127.0f);
    CHECK_EQ(got[problem.index(1, n)], -127.0f);
  }
}

// NaN, infinities and zeros of either sign pass a relu that only replaces what is below 0.
void relu_passes_nan_and_minus_zero(const MvmKernel& kernel) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  Problem problem({.vectors = 6, .rows = 8, .columns = 20, .bias = false, .relu = true});
  const float scales[] = {nan, infinity, -infinity, -0.0f, 1.0f, -1.0f};
  for (uint64_t m = 0; m < 6; ++m) problem.scale(m) = scales[m];
  check(kernel, problem);
  const std::vector<float> got = problem.run(kernel.function);
  for (uint64_t n = 0; n < 20; ++n) {
    CHECK(std::isnan(got[problem.index(0, n)]));
    for (uint64_t m = 1; m < 6; ++m) CHECK(!(got[problem.index(m, n)] < 0));
  }
}

// Only the asked blocks are written, whichever way the blocks are divided.
void block_ranges(const MvmKernel& kernel) {
  const Problem problem({.vectors = 9, .rows = 300, .columns = 3 * 64 + 5});
  const std::vector<float> whole = problem.run(kernel.function);
  for (uint64_t begin = 0; begin <= 4; ++begin) {
    for (uint64_t end = begin; end <= 4; ++end) {
      std::vector<float> want = whole;
      for (uint64_t m = 0; m < 9; ++m) {
        for (uint64_t n = 0; n < problem.shape().columns; ++n) {
          const uint64_t block = n / kMvmBlockColumns;
          if (block < begin || block >= end) want[problem.index(m, n)] = Problem::kGuard;
        }
      }
      const std::vector<float> got = problem.run(kernel.function, begin, end);
      CHECK_EQ(difference(got, want, problem.shape()), "");
    }
  }
}

void random_shapes(const MvmKernel& kernel) {
  std::mt19937 random(7);
  for (uint32_t seed = 0; seed < 60; ++seed) {
    check(kernel,
          {.vectors = 1 + random() % 20,
           .rows = 1 + random() % 600,
           .columns = 1 + random() % 200,
           .tile_rows = 4 * (1 + random() % 80),
           .adc_limit = random() % 4 == 0 ? 0.0f : 127.0f,
           .bias = random() % 2 == 0,
           .relu = random() % 2 == 0,
           .code_gap = random() % 9,
           .value_gap = random() % 9,
           .misalign = random() % 9},
          seed);
  }
}

void no_vectors(const MvmKernel& kernel) {
  const MvmWeights weights = {nullptr, nullptr, nullptr, nullptr, 8, 64, 8, 127};
  kernel.function(weights, {nullptr, 8, nullptr, nullptr, 0}, {nullptr, 64, nullptr, false}, 0, 1);
}

struct Case {
  const char* name;
  void (*body)(const MvmKernel&);
};

#define SIDRA_CASE(name) {#name, name}
constexpr Case kCases[] = {
    SIDRA_CASE(every_vector_count),
    SIDRA_CASE(vector_counts_around_a_chunk),
    SIDRA_CASE(every_column_count),
    SIDRA_CASE(row_counts_with_and_without_adc),
    SIDRA_CASE(tile_larger_than_the_matrix),
    SIDRA_CASE(many_rows),
    SIDRA_CASE(bias_and_relu),
    SIDRA_CASE(strides_and_alignments),
    SIDRA_CASE(extreme_codes_and_levels),
    SIDRA_CASE(exact_ties),
    SIDRA_CASE(clips_at_the_limit),
    SIDRA_CASE(relu_passes_nan_and_minus_zero),
    SIDRA_CASE(block_ranges),
    SIDRA_CASE(random_shapes),
    SIDRA_CASE(no_vectors),
};

void add_kernel_tests() {
  for (const MvmKernel& kernel : mvm_kernels()) {
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

std::vector<int8_t> random_levels(uint64_t count) {
  std::mt19937 random(3);
  std::vector<int8_t> levels(count);
  for (int8_t& level : levels) level = static_cast<int8_t>(random());
  return levels;
}

TEST(the_list_starts_with_scalar_and_names_end_with_their_isa) {
  CHECK(mvm_kernels()[0].isa == Isa::kScalar);
  for (const MvmKernel& kernel : mvm_kernels()) {
    const std::string name = kernel.name, suffix = std::string("_") + isa_name(kernel.isa);
    CHECK(name.size() > suffix.size());
    CHECK_EQ(name.substr(name.size() - suffix.size()), suffix);
  }
}

TEST(the_selected_row_is_the_one_of_the_selected_isa) {
  CHECK(isa_row(mvm_kernels(), selected_isa()).function == mvm_function());
  CHECK_EQ(isa_row(mvm_kernels(), selected_isa()).name, std::string(mvm_name()));
}

TEST(unpack_reads_back_what_pack_wrote) {
  for (uint64_t rows : {1, 3, 4, 5, 255, 256, 257}) {
    for (uint64_t columns : {1, 63, 64, 65, 200}) {
      const std::vector<int8_t> levels = random_levels(rows * columns);
      std::vector<int8_t> packed(mvm_packed_bytes(rows, columns), 99), back(levels.size());
      std::vector<int32_t> sums((rows + 7) / 8 * mvm_column_blocks(columns) * kMvmBlockColumns);
      mvm_pack(levels.data(), 0, columns, rows, columns, 8, packed.data(), sums.data());
      mvm_unpack(packed.data(), 0, columns, rows, back.data());
      CHECK(back == levels);
      const uint64_t first = columns / 3, count = columns - first;
      std::vector<int8_t> part(count * rows);
      mvm_unpack(packed.data(), first, count, rows, part.data());
      CHECK(std::equal(part.begin(), part.end(), levels.begin() + static_cast<long>(first * rows)));
    }
  }
}

TEST(packing_in_parts_gives_the_same_bytes_in_any_order) {
  const uint64_t rows = 261, columns = 150, tiles = 2;
  const std::vector<int8_t> levels = random_levels(rows * columns);
  std::vector<int8_t> whole(mvm_packed_bytes(rows, columns), 99), parts = whole;
  std::vector<int32_t> sums(tiles * 192, 99), part_sums = sums;
  mvm_pack(levels.data(), 0, columns, rows, columns, 256, whole.data(), sums.data());
  const uint64_t cuts[] = {0, 1, 30, 64, 70, 128, 149, 150};
  for (size_t i = std::size(cuts) - 1; i > 0; --i) {
    const uint64_t first = cuts[i - 1];
    mvm_pack(levels.data() + first * rows, first, cuts[i] - first, rows, columns, 256, parts.data(),
             part_sums.data());
  }
  CHECK(whole == parts);
  CHECK(sums == part_sums);
}

TEST(packed_form_is_what_the_contract_says_with_zeros_behind_the_matrix) {
  const uint64_t rows = 261, columns = 70, tile_rows = 256, groups = 66;
  const std::vector<int8_t> levels = random_levels(rows * columns);
  std::vector<int8_t> packed(mvm_packed_bytes(rows, columns), 99);
  std::vector<int32_t> sums(2 * 128, 99);
  mvm_pack(levels.data(), 0, columns, rows, columns, tile_rows, packed.data(), sums.data());
  CHECK_EQ(packed.size(), groups * 4 * 128);
  int32_t want_sums[2][128] = {};
  for (uint64_t n = 0; n < 128; ++n) {
    for (uint64_t k = 0; k < groups * 4; ++k) {
      const int want = n < columns && k < rows ? levels[n * rows + k] : 0;
      const uint64_t at = (((n / 64) * groups + k / 4) * 64 + n % 64) * 4 + k % 4;
      CHECK_EQ(int{packed[at]}, want);
      want_sums[k / tile_rows][n] += want;
    }
  }
  CHECK(std::equal(sums.begin(), sums.end(), &want_sums[0][0]));
}

TEST(packing_some_columns_leaves_the_others) {
  const uint64_t rows = 9, columns = 130;
  const std::vector<int8_t> levels = random_levels(rows * 10);
  std::vector<int8_t> packed(mvm_packed_bytes(rows, columns), 99);
  std::vector<int32_t> sums(2 * 192, 99);
  mvm_pack(levels.data(), 60, 10, rows, columns, 8, packed.data(), sums.data());
  for (uint64_t n = 0; n < 192; ++n) {
    const bool written = n >= 60 && n < 70;
    for (uint64_t k = 0; k < 12; ++k) {
      const int8_t got = packed[(((n / 64) * 3 + k / 4) * 64 + n % 64) * 4 + k % 4];
      if (!written) CHECK_EQ(int{got}, 99);
      if (written && k >= rows) CHECK_EQ(int{got}, 0);
    }
    if (!written) CHECK_EQ(sums[n], 99);
  }
}

}  // namespace
}  // namespace sidra::kernels

int main(int argc, char** argv) {
  sidra::kernels::add_kernel_tests();
  return sidra::testing::run_all(argc, argv);
}
