#include "drivers/sim/spec.h"

#include <set>

#include "drivers/sim/test_chip.h"

namespace sidra::sim {
namespace {

std::string refusal(std::string_view key, std::string_view value) {
  return error_of(SIDRA_STATUS_INVALID_ARGUMENT, [&] {
    ChipSpec spec = preset("y1");
    set_field(spec, key, value);
    check_spec(spec);
  });
}

template <typename Number>
bool inside(Number value, Number low, Number high) {
  return value >= low && value <= high;
}

TEST(spec_presets_are_complete) {
  for (const char* name : {"y1", "y10", "tiny", "ideal"}) {
    const ChipSpec spec = preset(name);
    check_spec(spec);
    CHECK_EQ(spec.name, name);
#define SIDRA_SPEC_WORD(field, words) CHECK(!spec.field.empty());
#define SIDRA_SPEC_FLAG(field)
#define SIDRA_SPEC_INTEGER(field, low, high, unit) \
  CHECK(inside(spec.field, uint64_t{low}, uint64_t{high}));
#define SIDRA_SPEC_NUMBER(field, low, high, unit) CHECK(inside<double>(spec.field, low, high));
#include "drivers/sim/spec_fields.inc"
  }
}

TEST(spec_y1_is_the_stated_chip) {
  const ChipSpec spec = preset("y1");
  CHECK_EQ(spec.compute_units(), uint64_t{400});
  CHECK_EQ(spec.crossbars(), uint64_t{6400});
  CHECK_EQ(spec.adc_limit(), 127);
  CHECK_EQ(spec.input_limit(), 255);
  CHECK_EQ(spec.weight_limit(), 127);
  CHECK_EQ(spec.mvm_seconds(), 10e-9 + 5e-9);
  CHECK(!spec.exact && preset("ideal").exact);
}

TEST(spec_unknown_preset_is_refused_with_the_names) {
  const auto text = error_of(SIDRA_STATUS_INVALID_ARGUMENT, [] { preset("y2"); });
  CHECK(has(text, "preset=y2") && has(text, "ideal") && has(text, "y1, y10"));
}

TEST(spec_every_number_refuses_what_is_outside_its_range) {
#define SIDRA_SPEC_WORD(field, words)
#define SIDRA_SPEC_FLAG(field) CHECK(has(refusal(#field, "2"), #field "=2: must be 0 or 1"));
#define SIDRA_SPEC_INTEGER(field, low, high, unit)                               \
  for (const char* bad : {"x", "-1", "1.5", "99999999999999999999", "4 ", ""}) { \
    const auto text = refusal(#field, bad);                                      \
    CHECK(has(text, #field) && has(text, "an integer of ") && has(text, unit));  \
  }
#define SIDRA_SPEC_NUMBER(field, low, high, unit)                             \
  for (const char* bad : {"x", "-1e300", "1e300", "nan", "inf", ""}) {        \
    const auto text = refusal(#field, bad);                                   \
    CHECK(has(text, #field) && has(text, "a number of ") && has(text, unit)); \
  }
#include "drivers/sim/spec_fields.inc"
}

TEST(spec_words_are_one_of_their_list) {
  CHECK(has(refusal("converters_per", "cu"), "one of compute_unit|crossbar"));
  CHECK(has(refusal("converters_per", "compute_unit|crossbar"), "one of"));
  CHECK(has(refusal("weight_encoding", "signed"), "one of offset|differential"));
  CHECK(has(refusal("name", "a b"), "letters"));
  CHECK(has(refusal("name", std::string(64, 'a')), "63"));
}

TEST(spec_figures_with_a_rule_of_their_own) {
  CHECK(has(refusal("crossbar_rows", "10"), "multiple of 4"));
  CHECK(has(refusal("adc_bits", "1"), "0 or an integer of 2 to 16 bits"));
  CHECK(has(refusal("ispp_mean_iterations", "16"), "ispp_max_iterations, which is 15"));
  CHECK(has(refusal("clusters", "1000000"), "crossbars"));
}

TEST(spec_choices_that_are_not_there_yet) {
  const auto unsupported = [](std::string_view key, std::string_view value) {
    return error_of(SIDRA_STATUS_UNSUPPORTED, [&] {
      ChipSpec spec = preset("y1");
      set_field(spec, key, value);
      check_spec(spec);
    });
  };
  CHECK(has(unsupported("weight_encoding", "differential"), "differential"));
  CHECK(has(unsupported("weight_levels", "16"), "weight_levels=16"));
}

TEST(spec_unknown_field_is_not_taken) {
  ChipSpec spec;
  CHECK(!set_field(spec, "adc_bit", "8"));
  CHECK(set_field(spec, "adc_bits", "8"));
}

}  // namespace
}  // namespace sidra::sim
