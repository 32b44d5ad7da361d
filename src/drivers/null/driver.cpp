// The shortest driver: it takes every command and computes nothing.
//
// Memory is real, so tensors can be made, copied and freed. Programming a weight takes its
// crossbars and stores nothing; a product leaves its output as it is; costs and clocks are 0.
// What remains of a model's time on it is the host's own.
#include "sidra/driver.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "drivers/abi/arguments.h"
#include "drivers/abi/error.h"
#include "drivers/abi/guard.h"
#include "drivers/null/state.h"

namespace sidra::null {
namespace {

Instance* behind(sidra_instance* handle) { return reinterpret_cast<Instance*>(handle); }
Stream* behind(sidra_stream* handle) { return reinterpret_cast<Stream*>(handle); }
Event* behind(sidra_event* handle) { return reinterpret_cast<Event*>(handle); }
Weight* behind(sidra_weight* handle) { return reinterpret_cast<Weight*>(handle); }
const Weight* behind(const sidra_weight* handle) { return reinterpret_cast<const Weight*>(handle); }

// The object behind a handle. Throws Error when it is null.
template <typename Handle>
auto& open(const char* function, Handle* handle) {
  require(function, "the handle", handle);
  return *behind(handle);
}

const char* last_error() { return last_error_text().c_str(); }

// ---- instance and devices -----------------------------------------------------------------

sidra_status instance_create(sidra_instance_create_args* args) {
  return guarded([&] {
    Arguments ours("instance_create", args);
    auto instance = std::make_unique<Instance>(ours->config == nullptr ? "" : ours->config);
    ours->device_count = static_cast<int32_t>(instance->devices.size());
    ours->instance = reinterpret_cast<sidra_instance*>(instance.release());
    ours.commit();
  });
}

sidra_status instance_destroy(sidra_instance* instance) {
  return guarded([&] { delete &open("instance_destroy", instance); });
}

sidra_status device_properties(sidra_instance* instance, int32_t device,
                               sidra_device_properties* properties) {
  return guarded([&] {
    Arguments ours("device_properties", properties);
    Instance& of = open("device_properties", instance);
    of.device("device_properties", device);
    const sim::ChipSpec& spec = of.config.spec;
    std::memcpy(ours->name, spec.name.c_str(), std::min(spec.name.size(), size_t{63}) + 1);
    ours->name[63] = '\0';
    ours->flags = SIDRA_DEVICE_COMPLETES_AT_SUBMISSION | SIDRA_DEVICE_COMPUTES_NOTHING |
                  (of.config.strict_memory ? 0 : SIDRA_DEVICE_HOST_COHERENT);
    ours->crossbar_rows = static_cast<uint32_t>(spec.crossbar_rows);
    ours->crossbar_columns = static_cast<uint32_t>(spec.crossbar_columns);
    ours->crossbars = static_cast<uint32_t>(spec.crossbars());
    ours->compute_units = static_cast<uint32_t>(spec.compute_units());
    ours->clusters = static_cast<uint32_t>(spec.clusters);
    ours->dac_bits = ours->adc_bits = 0;
    ours->memory_bytes = spec.memory_bytes;
    ours.commit();
  });
}

sidra_status device_counters(sidra_instance* instance, int32_t device, sidra_counters* counters) {
  return guarded([&] {
    Arguments ours("device_counters", counters);
    const Device& of = open("device_counters", instance).device("device_counters", device);
    *ours = {};
    ours->bytes_to_device = of.bytes_to_device;
    ours->bytes_to_host = of.bytes_to_host;
    ours->crossbars_used = static_cast<uint32_t>(of.crossbars.used());
    ours.commit();
  });
}

sidra_status device_synchronize(sidra_instance* instance, int32_t device) {
  return guarded(
      [&] { open("device_synchronize", instance).device("device_synchronize", device); });
}

// ---- memory ---------------------------------------------------------------------------------

sidra_status memory_alloc(sidra_instance* instance, int32_t device, uint64_t bytes,
                          uint64_t* address) {
  return guarded([&] {
    Instance& ours = open("memory_alloc", instance);
    require("memory_alloc", "address", address);
    *address = ours.memory.allocate(ours.device("memory_alloc", device).index, bytes);
  });
}

sidra_status memory_free(sidra_instance* instance, uint64_t address) {
  return guarded([&] { open("memory_free", instance).memory.release(address); });
}

sidra_status memory_info(sidra_instance* instance, int32_t device, uint64_t* free_bytes,
                         uint64_t* total_bytes) {
  return guarded([&] {
    Instance& ours = open("memory_info", instance);
    require("memory_info", "free_bytes", free_bytes);
    require("memory_info", "total_bytes", total_bytes);
    *free_bytes = ours.memory.free_bytes(ours.device("memory_info", device).index);
    *total_bytes = ours.memory.total_bytes();
  });
}

sidra_status memory_host_pointer(sidra_instance* instance, uint64_t address, uint64_t bytes,
                                 void** pointer) {
  return guarded([&] {
    Instance& ours = open("memory_host_pointer", instance);
    require("memory_host_pointer", "pointer", pointer);
    if (ours.config.strict_memory) {
      fail(SIDRA_STATUS_UNSUPPORTED, "memory_host_pointer: not with memory=strict");
    }
    *pointer = ours.memory.find("memory_host_pointer", address, bytes).host;
  });
}

// Bytes at `address`, which may lie on any device. Throws Error.
std::byte* bytes_at(Stream& stream, const char* what, uint64_t address, uint64_t bytes) {
  return stream.device.memory.find(what, address, bytes).host;
}

sidra_status copy_to_device(sidra_stream* stream, uint64_t destination, const void* source,
                            uint64_t bytes, sidra_cost* cost) {
  return guarded([&] {
    Stream& ours = open("copy_to_device", stream);
    if (cost != nullptr) *cost = {};
    if (bytes == 0) return;
    require("copy_to_device", "source", source);
    std::memcpy(bytes_at(ours, "copy_to_device destination", destination, bytes), source, bytes);
    ours.device.bytes_to_device += bytes;
  });
}

sidra_status copy_to_host(sidra_stream* stream, void* destination, uint64_t source, uint64_t bytes,
                          sidra_cost* cost) {
  return guarded([&] {
    Stream& ours = open("copy_to_host", stream);
    if (cost != nullptr) *cost = {};
    if (bytes == 0) return;
    require("copy_to_host", "destination", destination);
    std::memcpy(destination, bytes_at(ours, "copy_to_host source", source, bytes), bytes);
    ours.device.bytes_to_host += bytes;
  });
}

sidra_status copy_on_device(sidra_stream* stream, uint64_t destination, uint64_t source,
                            uint64_t bytes, sidra_cost* cost) {
  return guarded([&] {
    Stream& ours = open("copy_on_device", stream);
    if (cost != nullptr) *cost = {};
    if (bytes == 0) return;
    std::byte* const to = bytes_at(ours, "copy_on_device destination", destination, bytes);
    const std::byte* const from = bytes_at(ours, "copy_on_device source", source, bytes);
    if (destination < source + bytes && source < destination + bytes) {
      fail(SIDRA_STATUS_INVALID_ARGUMENT, "copy_on_device: the ranges overlap");
    }
    std::memcpy(to, from, bytes);
  });
}

// ---- streams and events: whatever is submitted is over at once ------------------------------

sidra_status stream_create(sidra_instance* instance, int32_t device, int32_t /*priority*/,
                           sidra_stream** stream) {
  return guarded([&] {
    Device& of = open("stream_create", instance).device("stream_create", device);
    require("stream_create", "stream", stream);
    Stream* const made = of.streams.add(std::make_shared<Stream>(of));
    *stream = reinterpret_cast<sidra_stream*>(made);
  });
}

sidra_status stream_destroy(sidra_stream* stream) {
  return guarded([&] {
    Stream& ours = open("stream_destroy", stream);
    ours.device.streams.remove(&ours);
  });
}

sidra_status stream_query(sidra_stream* stream) {
  return guarded([&] { open("stream_query", stream); });
}

sidra_status stream_synchronize(sidra_stream* stream) {
  return guarded([&] { open("stream_synchronize", stream); });
}

sidra_status stream_wait_event(sidra_stream* stream, sidra_event* event) {
  return guarded([&] {
    open("stream_wait_event", stream);
    open("stream_wait_event", event);
  });
}

sidra_status stream_clock(sidra_stream* stream, double* chip_seconds) {
  return guarded([&] {
    open("stream_clock", stream);
    require("stream_clock", "chip_seconds", chip_seconds);
    *chip_seconds = 0;
  });
}

sidra_status event_create(sidra_instance* instance, int32_t device, sidra_event** event) {
  return guarded([&] {
    Device& of = open("event_create", instance).device("event_create", device);
    require("event_create", "event", event);
    *event = reinterpret_cast<sidra_event*>(of.events.add(std::make_shared<Event>(of)));
  });
}

sidra_status event_destroy(sidra_event* event) {
  return guarded([&] {
    Event& ours = open("event_destroy", event);
    ours.device.events.remove(&ours);
  });
}

sidra_status event_record(sidra_event* event, sidra_stream* stream) {
  return guarded([&] {
    Event& ours = open("event_record", event);
    if (&ours.device != &open("event_record", stream).device) {
      fail(SIDRA_STATUS_INVALID_ARGUMENT, "event_record: event and stream are of two devices");
    }
    ours.recorded = true;
  });
}

sidra_status event_query(sidra_event* event) {
  return guarded([&] { open("event_query", event); });
}

sidra_status event_synchronize(sidra_event* event) {
  return guarded([&] { open("event_synchronize", event); });
}

sidra_status event_elapsed(sidra_event* start, sidra_event* end, double* chip_seconds) {
  return guarded([&] {
    const Event& from = open("event_elapsed", start);
    const Event& to = open("event_elapsed", end);
    require("event_elapsed", "chip_seconds", chip_seconds);
    if (&from.device != &to.device) {
      fail(SIDRA_STATUS_INVALID_ARGUMENT, "event_elapsed: the events are of two devices");
    }
    if (!from.recorded || !to.recorded) {
      fail(SIDRA_STATUS_INVALID_ARGUMENT, "event_elapsed: an event was never recorded");
    }
    *chip_seconds = 0;
  });
}

// ---- weights and work -----------------------------------------------------------------------

sidra_status weight_program(sidra_stream* stream, sidra_weight_program_args* args) {
  return guarded([&] {
    Device& of = open("weight_program", stream).device;
    Arguments ours("weight_program", args);
    if (ours->type != SIDRA_VALUE_F32 && ours->type != SIDRA_VALUE_I8) {
      fail(SIDRA_STATUS_INVALID_ARGUMENT, "weight_program: no value type ",
           static_cast<int>(ours->type));
    }
    if (ours->outputs == 0 || ours->inputs == 0) {
      fail(SIDRA_STATUS_INVALID_ARGUMENT, "weight_program: a weight without outputs or inputs");
    }
    of.memory.find("weight values", ours->values, 1);
    auto weight = std::make_shared<Weight>(of, ours->outputs, ours->inputs);
    weight->placement = of.crossbars.take(ours->outputs, ours->inputs);
    ours->weight = reinterpret_cast<sidra_weight*>(of.weights.add(std::move(weight)));
    ours->cells_written = 0;
    ours->cost = {};
    ours.commit();
  });
}

void check_device(const char* function, const Stream& stream, const Weight& weight) {
  if (&weight.device == &stream.device) return;
  fail(SIDRA_STATUS_INVALID_ARGUMENT, function, ": weight and stream are of two devices");
}

sidra_status weight_update(sidra_stream* stream, sidra_weight_update_args* args) {
  return guarded([&] {
    Stream& where = open("weight_update", stream);
    Arguments ours("weight_update", args);
    const Weight& weight = open("weight_update", ours->weight);
    check_device("weight_update", where, weight);
    if (ours->first_output > weight.outputs ||
        ours->outputs > weight.outputs - ours->first_output) {
      fail(SIDRA_STATUS_INVALID_ARGUMENT, "weight_update: the weight has ", weight.outputs,
           " outputs");
    }
    if (ours->outputs > 0) where.device.memory.find("weight values", ours->values, 1);
    ours->cells_written = 0;
    ours->cost = {};
    ours.commit();
  });
}

sidra_status weight_query(const sidra_weight* weight, sidra_weight_info* info) {
  return guarded([&] {
    const Weight& of = open("weight_query", weight);
    Arguments ours("weight_query", info);
    ours->outputs = of.outputs;
    ours->inputs = of.inputs;
    ours->crossbars = static_cast<uint32_t>(of.placement.crossbars.size());
    ours->cells = of.outputs * of.inputs;
    ours->cells_written = 0;
    ours->host_bytes = sizeof(Weight) + of.placement.crossbars.size() * sizeof(uint32_t);
    ours.commit();
  });
}

sidra_status weight_free(sidra_weight* weight) {
  return guarded([&] {
    Weight& ours = open("weight_free", weight);
    ours.device.crossbars.give_back(ours.placement);
    ours.device.weights.remove(&ours);
  });
}

sidra_status mvm(sidra_stream* stream, sidra_mvm_args* args) {
  return guarded([&] {
    Stream& where = open("mvm", stream);
    Arguments ours("mvm", args);
    const Weight& weight = open("mvm", ours->weight);
    check_device("mvm", where, weight);
    if (ours->activation != SIDRA_ACTIVATION_NONE && ours->activation != SIDRA_ACTIVATION_RELU) {
      fail(SIDRA_STATUS_INVALID_ARGUMENT, "mvm: no activation ",
           static_cast<int>(ours->activation));
    }
    if (ours->vectors > 0) {
      where.device.memory.find("mvm input", ours->input, weight.inputs * sizeof(float));
      where.device.memory.find("mvm output", ours->output, weight.outputs * sizeof(float));
    }
    ours->cost = {};
    ours.commit();
  });
}

sidra_status account_work(sidra_stream* stream, sidra_work_args* args) {
  return guarded([&] {
    open("account_work", stream);
    Arguments ours("account_work", args);
    if (ours->place != SIDRA_PLACE_ENGINE && ours->place != SIDRA_PLACE_HOST) {
      fail(SIDRA_STATUS_INVALID_ARGUMENT, "account_work: no place ", static_cast<int>(ours->place));
    }
    ours->cost = {};
    ours.commit();
  });
}

constexpr sidra_driver kDriver = {
    .struct_size = sizeof(sidra_driver),
    .abi_major = SIDRA_ABI_MAJOR,
    .abi_minor = SIDRA_ABI_MINOR,
    .name = "null",
    .version = "0.1.0",
    .last_error = last_error,
    .instance_create = instance_create,
    .instance_destroy = instance_destroy,
    .device_properties = device_properties,
    .device_counters = device_counters,
    .device_synchronize = device_synchronize,
    .memory_alloc = memory_alloc,
    .memory_free = memory_free,
    .memory_info = memory_info,
    .memory_host_pointer = memory_host_pointer,
    .copy_to_device = copy_to_device,
    .copy_to_host = copy_to_host,
    .copy_on_device = copy_on_device,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .stream_query = stream_query,
    .stream_synchronize = stream_synchronize,
    .stream_wait_event = stream_wait_event,
    .stream_clock = stream_clock,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_query = event_query,
    .event_synchronize = event_synchronize,
    .event_elapsed = event_elapsed,
    .weight_program = weight_program,
    .weight_update = weight_update,
    .weight_query = weight_query,
    .weight_free = weight_free,
    .mvm = mvm,
    .account_work = account_work,
    .describe = nullptr,
};

}  // namespace
}  // namespace sidra::null

const sidra_driver* sidra_driver_get(uint32_t abi_major) {
  return abi_major == SIDRA_ABI_MAJOR ? &sidra::null::kDriver : nullptr;
}
