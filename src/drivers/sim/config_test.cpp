#include "drivers/sim/config.h"

#include "drivers/sim/test_chip.h"

namespace sidra::sim {
namespace {

std::string refusal(std::string_view text) {
  return error_of(SIDRA_STATUS_INVALID_ARGUMENT, [&] { parse_config(text); });
}

TEST(config_empty_is_y1) {
  const Config config = parse_config("");
  CHECK_EQ(config.spec.name, "y1");
  CHECK_EQ(config.devices, uint64_t{1});
  CHECK(!config.strict_memory && !config.threaded_queue);
}

TEST(config_options_are_read) {
  const Config config =
      parse_config("devices=3\nmemory=strict\nqueue=thread\nseed=18446744073709551615\n");
  CHECK_EQ(config.devices, uint64_t{3});
  CHECK(config.strict_memory && config.threaded_queue);
  CHECK_EQ(config.seed, UINT64_MAX);
}

TEST(config_later_lines_override) {
  CHECK_EQ(parse_config("preset=tiny\nadc_bits=6\nadc_bits=7").spec.adc_bits, uint64_t{7});
  CHECK_EQ(parse_config("preset=tiny\nadc_bits=6").spec.crossbar_rows, uint64_t{8});
  CHECK_EQ(parse_config("adc_bits=6\npreset=tiny").spec.adc_bits, uint64_t{8});
}

TEST(config_blanks_are_ignored) {
  CHECK_EQ(parse_config("\n  adc_bits = 6 \r\n\n\t\n").spec.adc_bits, uint64_t{6});
}

TEST(config_bad_lines_are_refused) {
  CHECK(has(refusal("adc_bits"), "'adc_bits' is not key=value"));
  CHECK(has(refusal("=8"), "is not key=value"));
  CHECK(has(refusal("adc_bits="), "adc_bits has no value"));
  CHECK(has(refusal("adc_bit=8"), "unknown key 'adc_bit'"));
  CHECK(has(refusal("preset="), "preset has no value"));
}

TEST(config_bad_options_are_refused) {
  CHECK(has(refusal("devices=0"), "devices=0: must be an integer of 1 to 64"));
  CHECK(has(refusal("devices=65"), "devices=65"));
  CHECK(has(refusal("memory=virtual"), "memory=virtual: must be coherent or strict"));
  CHECK(has(refusal("queue=fast"), "queue=fast: must be inline or thread"));
  CHECK(has(refusal("seed=-1"), "seed=-1"));
}

}  // namespace
}  // namespace sidra::sim
