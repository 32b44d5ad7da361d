#include "drivers/sim/device.h"

#include <cstring>
#include <thread>

#include "drivers/sim/test_chip.h"

namespace sidra::sim {
namespace {

TEST(device_properties_are_the_specs) {
  TestChip chip("preset=y1");
  const sidra_device_properties properties = chip.device.properties();
  CHECK_EQ(std::string(properties.name), "y1");
  CHECK_EQ(properties.crossbars, 6400u);
  CHECK_EQ(properties.compute_units, 400u);
  CHECK_EQ(properties.clusters, 16u);
  CHECK_EQ(properties.crossbar_rows, 256u);
  CHECK_EQ(properties.crossbar_columns, 256u);
  CHECK_EQ(properties.dac_bits, 8u);
  CHECK_EQ(properties.adc_bits, 8u);
  CHECK_EQ(properties.memory_bytes, uint64_t{8} << 30);
}

TEST(device_flags_follow_the_config) {
  constexpr uint32_t kCoherent = SIDRA_DEVICE_HOST_COHERENT;
  constexpr uint32_t kAtOnce = SIDRA_DEVICE_COMPLETES_AT_SUBMISSION;
  constexpr uint32_t kExact = SIDRA_DEVICE_EXACT;
  const auto flags = [](const char* config) { return TestChip(config).device.properties().flags; };
  CHECK_EQ(flags(""), kCoherent | kAtOnce);
  CHECK_EQ(flags("memory=strict"), kAtOnce);
  CHECK_EQ(flags("queue=thread"), kCoherent);
  CHECK_EQ(flags("preset=ideal"), kCoherent | kAtOnce | kExact);
  CHECK_EQ(TestChip("preset=ideal").device.properties().dac_bits, 0u);
}

TEST(device_counters_outlive_streams) {
  TestChip chip("preset=tiny");
  Stream& other = *chip.device.create_stream();
  other.submit(chip.device.cost.engine({1000, 0, 0}));
  chip.stream.submit(chip.device.cost.host(100, 200));
  const double seconds = chip.device.counters().engine_seconds;
  CHECK(seconds > 0);
  chip.device.destroy_stream(&other);
  CHECK_EQ(chip.device.counters().engine_seconds, seconds);
  CHECK_EQ(chip.device.counters().bytes_to_host, uint64_t{100});
  CHECK_EQ(chip.device.counters().bytes_to_device, uint64_t{200});
}

TEST(device_synchronize_throws_what_its_streams_kept) {
  TestChip chip("preset=tiny\nqueue=thread");
  Stream& other = *chip.device.create_stream();
  other.submit({}, [] { fail(SIDRA_STATUS_NOT_FOUND, "late"); });
  CHECK_EQ(error_of(SIDRA_STATUS_NOT_FOUND, [&] { chip.device.synchronize(); }), "late");
  chip.device.synchronize();
}

TEST(device_frees_a_weight_after_the_commands_that_use_it) {
  TestChip chip("preset=tiny\nqueue=thread");
  Weight& weight = *chip.device.create_weight(1, 1, SIDRA_VALUE_F32);
  bool used = false;
  chip.stream.submit({}, [&used, use = WeightUse(weight)] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    used = true;
  });
  chip.device.destroy_weight(&weight);
  CHECK(used);
  CHECK_EQ(chip.device.counters().crossbars_used, 0u);
}

}  // namespace
}  // namespace sidra::sim
