// One chip: its crossbars, its streams, events and weights, and the sums of what it did.
#pragma once

#include <cstdint>
#include <mutex>

#include "drivers/abi/registry.h"
#include "drivers/sim/config.h"
#include "drivers/sim/cost.h"
#include "drivers/sim/host.h"
#include "drivers/sim/memory.h"
#include "drivers/sim/placement.h"
#include "drivers/sim/queue.h"
#include "drivers/sim/weight.h"
#include "sidra/driver.h"

namespace sidra::sim {

class Device {
 public:
  Device(int32_t index, const Config& config, Memory& memory, const Host& host);
  ~Device();  // waits for its streams

  sidra_device_properties properties() const;
  sidra_counters counters() const;
  void synchronize();  // throws the first Error that its streams kept

  Stream* create_stream();
  void destroy_stream(Stream* stream);
  Event* create_event() { return events_.add(std::make_shared<Event>(*this)); }
  void destroy_event(Event* event) { events_.remove(event); }
  Weight* create_weight(uint64_t outputs, uint64_t inputs, sidra_value_type type);
  // Waits for the commands that use it.
  void destroy_weight(Weight* weight);

  const int32_t index;
  const Config& config;
  const ChipSpec& spec;
  const CostModel cost;
  CrossbarPool crossbars;
  Memory& memory;
  const Host& host;

 private:
  Registry<Weight> weights_;
  Registry<Event> events_;
  Registry<Stream> streams_;
  mutable std::mutex retired_mutex_;
  Totals retired_;  // of streams that were destroyed
};

}  // namespace sidra::sim
