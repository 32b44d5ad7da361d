#include "kernels/isa.h"

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "testing/check.h"

namespace sidra::kernels {
namespace {

constexpr Isa kScalarAndAvx2[] = {Isa::kScalar, Isa::kAvx2};

std::string refusal(const char* forced) {
  try {
    select_isa(forced, kScalarAndAvx2);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(scalar_is_always_supported) { CHECK(isa_supported(Isa::kScalar)); }

TEST(a_supported_isa_has_a_supported_base) {
  for (Isa isa : all_isas()) {
    CHECK(!isa_supported(isa) || isa_supported(isa_base(isa)));
    CHECK(isa_base(isa) <= isa);
  }
}

TEST(names_are_distinct_and_select_themselves) {
  for (Isa isa : all_isas()) {
    CHECK(select_isa(isa_name(isa), all_isas()) == isa);
    for (Isa other : all_isas()) {
      CHECK_EQ(std::string(isa_name(isa)) == isa_name(other), isa == other);
    }
  }
}

TEST(unset_and_empty_take_the_best_supported) {
  CHECK(select_isa(nullptr, kScalarAndAvx2) == Isa::kAvx2);
  CHECK(select_isa("", kScalarAndAvx2) == Isa::kAvx2);
}

TEST(unknown_value_is_refused_by_name_with_what_works) {
  for (const char* value : {"avx9", "AVX2", "avx", "avx2 ", "best"}) {
    CHECK_EQ(refusal(value), std::string("SIDRA_ISA=") + value +
                                 " is not an instruction set of this library;"
                                 " here work: scalar avx2");
  }
}

TEST(unsupported_value_is_refused_by_name_with_what_works) {
  for (Isa isa : {Isa::kAvxVnni, Isa::kAvx512, Isa::kAvx512Vnni}) {
    CHECK_EQ(refusal(isa_name(isa)), std::string("SIDRA_ISA=") + isa_name(isa) +
                                         " is not supported by this processor;"
                                         " here work: scalar avx2");
  }
}

TEST(the_environment_decides_when_it_is_set) {
  const char* forced = std::getenv("SIDRA_ISA");
  CHECK(selected_isa() == select_isa(forced, supported_isas()));
}

TEST(a_family_without_a_row_runs_the_base) {
  struct Row {
    Isa isa;
  };
  const Row rows[] = {{Isa::kScalar}, {Isa::kAvx2}, {Isa::kAvx512}};
  const std::span<const Row> family(rows);
  CHECK(isa_row(family, Isa::kScalar).isa == Isa::kScalar);
  CHECK(isa_row(family, Isa::kAvx2).isa == Isa::kAvx2);
  CHECK(isa_row(family, Isa::kAvxVnni).isa == Isa::kAvx2);
  CHECK(isa_row(family, Isa::kAvx512).isa == Isa::kAvx512);
  CHECK(isa_row(family, Isa::kAvx512Vnni).isa == Isa::kAvx512);
}

}  // namespace
}  // namespace sidra::kernels

int main(int argc, char** argv) { return sidra::testing::run_all(argc, argv); }
