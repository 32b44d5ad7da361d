#include "drivers/sim/instance.h"

#include "drivers/sim/test_chip.h"

namespace sidra::sim {
namespace {

TEST(instance_has_the_devices_of_its_config) {
  Instance instance(parse_config("devices=3"), nullptr);
  CHECK_EQ(instance.device_count(), 3);
  for (int32_t i = 0; i < 3; ++i) CHECK_EQ(instance.device("x", i).index, i);
}

TEST(instance_names_who_asked_for_no_such_device) {
  Instance instance(parse_config("devices=2"), nullptr);
  for (const int32_t index : {-1, 2}) {
    const auto text =
        error_of(SIDRA_STATUS_NOT_FOUND, [&] { instance.device("memory_info", index); });
    CHECK_EQ(text, "memory_info: no device " + std::to_string(index) + ", there are 2");
  }
}

TEST(instance_goes_with_handles_still_open) {
  for (const char* config : {"devices=2", "devices=2\nqueue=thread\nmemory=strict"}) {
    Instance instance(parse_config(config), nullptr);
    Device& first = instance.device("x", 0);
    Device& second = instance.device("x", 1);
    Stream& here = *first.create_stream();
    Stream& there = *second.create_stream();
    Event& event = *first.create_event();
    Event& back = *second.create_event();
    const uint64_t from = instance.memory.allocate(0, 1 << 20);
    const uint64_t to = instance.memory.allocate(1, 1 << 20);
    for (int i = 0; i < 10; ++i) {
      copy_on_device(here, to, from, 1 << 20);
      here.record(event);
      there.wait_for(event);
      copy_on_device(there, from, to, 1 << 20);
      there.record(back);
      here.wait_for(back);
    }
    first.create_weight(10, 10, SIDRA_VALUE_F32);
  }
}

}  // namespace
}  // namespace sidra::sim
