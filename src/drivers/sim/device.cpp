#include "drivers/sim/device.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "drivers/abi/error.h"
#include "drivers/sim/programming.h"

namespace sidra::sim {
namespace {

uint32_t flags(const Config& config) {
  uint32_t flags = 0;
  if (!config.strict_memory) flags |= SIDRA_DEVICE_HOST_COHERENT;
  if (!config.threaded_queue) flags |= SIDRA_DEVICE_COMPLETES_AT_SUBMISSION;
  if (config.spec.exact) flags |= SIDRA_DEVICE_EXACT;
  return flags;
}

// The digital sums over row tiles are int32: they must fit whatever the inputs are.
void check_sums_fit(const ChipSpec& spec, uint64_t inputs) {
  const uint64_t tiles = (inputs - 1) / spec.crossbar_rows + 1;
  const auto code = static_cast<uint64_t>(spec.input_limit());
  const auto level = static_cast<uint64_t>(spec.weight_limit());
  const uint64_t greatest_term = spec.adc_bits == 0 ? code * level * spec.crossbar_rows
                                                    : static_cast<uint64_t>(spec.adc_limit());
  const uint64_t most_tiles = std::numeric_limits<int32_t>::max() / greatest_term;
  if (tiles <= most_tiles) return;
  fail(SIDRA_STATUS_UNSUPPORTED, "weight of ", inputs, " inputs: their sum may leave int32; at ",
       "most ", most_tiles * spec.crossbar_rows, " inputs on this chip");
}

}  // namespace

Device::Device(int32_t number, const Config& configuration, Memory& device_memory,
               const Host& services)
    : index(number),
      config(configuration),
      spec(configuration.spec),
      cost(spec),
      crossbars(spec),
      memory(device_memory),
      host(services) {}

Device::~Device() {
  // Their commands use everything else.
  for (const auto& stream : streams_.all()) stream->drain();
  streams_.clear();
}

sidra_device_properties Device::properties() const {
  sidra_device_properties properties{};
  std::memcpy(properties.name, spec.name.c_str(), std::min(spec.name.size(), size_t{63}));
  properties.flags = flags(config);
  properties.crossbar_rows = static_cast<uint32_t>(spec.crossbar_rows);
  properties.crossbar_columns = static_cast<uint32_t>(spec.crossbar_columns);
  properties.crossbars = static_cast<uint32_t>(spec.crossbars());
  properties.compute_units = static_cast<uint32_t>(spec.compute_units());
  properties.clusters = static_cast<uint32_t>(spec.clusters);
  properties.dac_bits = spec.exact ? 0 : static_cast<uint32_t>(spec.dac_bits);
  properties.adc_bits = spec.exact ? 0 : static_cast<uint32_t>(spec.adc_bits);
  properties.memory_bytes = spec.memory_bytes;
  return properties;
}

sidra_counters Device::counters() const {
  Totals totals;
  {
    // Held over both, so that a stream that is being destroyed is counted once.
    const std::lock_guard lock(retired_mutex_);
    totals = retired_;
    for (const auto& stream : streams_.all()) totals += stream->totals();
  }
  sidra_counters counters{};
  counters.mvms = totals.mvms;
  counters.cells_written = totals.cells_written;
  counters.bytes_to_device = totals.bytes_to_device;
  counters.bytes_to_host = totals.bytes_to_host;
  counters.mvm_seconds = totals.mvm_seconds;
  counters.engine_seconds = totals.engine_seconds;
  counters.programming_seconds = totals.programming_seconds;
  counters.transfer_seconds = totals.transfer_seconds;
  counters.array_joules = totals.array_joules;
  counters.dac_joules = totals.dac_joules;
  counters.adc_joules = totals.adc_joules;
  counters.engine_joules = totals.engine_joules;
  counters.memory_joules = totals.memory_joules;
  counters.link_joules = totals.link_joules;
  counters.programming_joules = totals.programming_joules;
  counters.static_joules = totals.static_joules;
  counters.crossbars_used = static_cast<uint32_t>(crossbars.used());
  return counters;
}

void Device::synchronize() {
  for (const auto& stream : streams_.all()) stream->drain();
  for (const auto& stream : streams_.all()) stream->synchronize();
}

Stream* Device::create_stream() {
  return streams_.add(std::make_shared<Stream>(*this, config.threaded_queue));
}

void Device::destroy_stream(Stream* stream) {
  stream->drain();
  const std::lock_guard lock(retired_mutex_);
  retired_ += stream->totals();
  streams_.remove(stream);
}

Weight* Device::create_weight(uint64_t outputs, uint64_t inputs, sidra_value_type type) {
  if (!spec.exact) check_sums_fit(spec, inputs);
  auto weight = std::make_shared<Weight>(*this, outputs, inputs, type);
  weight->placement = crossbars.take(outputs, inputs);
  try {
    reserve_levels(*weight, spec);
    return weights_.add(weight);
  } catch (...) {
    crossbars.give_back(weight->placement);
    throw;
  }
}

void Device::destroy_weight(Weight* weight) {
  weight->uses.wait_for_none();
  crossbars.give_back(weight->placement);
  weights_.remove(weight);
}

}  // namespace sidra::sim
