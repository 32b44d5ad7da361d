// What the null driver remembers: memory, and which crossbars are taken.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>

#include "drivers/abi/registry.h"
#include "drivers/sim/config.h"
#include "drivers/sim/memory.h"
#include "drivers/sim/placement.h"
#include "sidra/driver.h"

namespace sidra::null {

struct Device;

struct Stream {
  explicit Stream(Device& owner) : device(owner) {}

  Device& device;
};

struct Event {
  explicit Event(Device& owner) : device(owner) {}

  Device& device;
  std::atomic<bool> recorded{false};
};

struct Weight {
  Weight(Device& owner, uint64_t n, uint64_t k) : device(owner), outputs(n), inputs(k) {}

  Device& device;
  const uint64_t outputs, inputs;
  sim::Placement placement;
};

struct Device {
  Device(int32_t number, const sim::ChipSpec& spec, sim::Memory& device_memory)
      : index(number), memory(device_memory), crossbars(spec) {}

  const int32_t index;
  sim::Memory& memory;
  sim::CrossbarPool crossbars;
  std::atomic<uint64_t> bytes_to_device{0}, bytes_to_host{0};
  Registry<Stream> streams;
  Registry<Event> events;
  Registry<Weight> weights;
};

// The configuration, memory and placement are the simulator's: a null driver stands in for the
// same chips. Queues are always inline.
struct Instance {
  explicit Instance(std::string_view text);

  // Throws Error (NOT_FOUND).
  Device& device(const char* function, int32_t index);

  const sim::Config config;
  sim::Memory memory;
  std::deque<Device> devices;  // a deque: they never move
};

}  // namespace sidra::null
