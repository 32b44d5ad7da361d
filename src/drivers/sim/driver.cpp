// The function table: handles and argument structs in, statuses and texts out.
#include "sidra/driver.h"

#include <memory>
#include <utility>

#include "drivers/abi/arguments.h"
#include "drivers/abi/error.h"
#include "drivers/abi/guard.h"
#include "drivers/sim/commands.h"
#include "drivers/sim/describe.h"
#include "drivers/sim/handles.h"

namespace sidra::sim {
namespace {

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
    Config config = parse_config(ours->config == nullptr ? "" : ours->config);
    auto instance = std::make_unique<Instance>(std::move(config), ours->services);
    ours->device_count = instance->device_count();
    ours->instance = handle(instance.release());
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
    *ours = open("device_properties", instance).device("device_properties", device).properties();
    ours.commit();
  });
}

sidra_status device_counters(sidra_instance* instance, int32_t device, sidra_counters* counters) {
  return guarded([&] {
    Arguments ours("device_counters", counters);
    *ours = open("device_counters", instance).device("device_counters", device).counters();
    ours.commit();
  });
}

sidra_status device_synchronize(sidra_instance* instance, int32_t device) {
  return guarded([&] {
    open("device_synchronize", instance).device("device_synchronize", device).synchronize();
  });
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
      fail(SIDRA_STATUS_UNSUPPORTED,
           "memory_host_pointer: with memory=strict the host reaches device memory by copies only");
    }
    *pointer = ours.memory.find("memory_host_pointer", address, bytes).host;
  });
}

void give(sidra_cost* to, const sidra_cost& cost) {
  if (to != nullptr) *to = cost;
}

sidra_status copy_to_device(sidra_stream* stream, uint64_t destination, const void* source,
                            uint64_t bytes, sidra_cost* cost) {
  return guarded([&] {
    give(cost, sim::copy_to_device(open("copy_to_device", stream), destination, source, bytes));
  });
}

sidra_status copy_to_host(sidra_stream* stream, void* destination, uint64_t source, uint64_t bytes,
                          sidra_cost* cost) {
  return guarded([&] {
    give(cost, sim::copy_to_host(open("copy_to_host", stream), destination, source, bytes));
  });
}

sidra_status copy_on_device(sidra_stream* stream, uint64_t destination, uint64_t source,
                            uint64_t bytes, sidra_cost* cost) {
  return guarded([&] {
    give(cost, sim::copy_on_device(open("copy_on_device", stream), destination, source, bytes));
  });
}

// ---- streams and events ---------------------------------------------------------------------

sidra_status stream_create(sidra_instance* instance, int32_t device, int32_t /*priority*/,
                           sidra_stream** stream) {
  return guarded([&] {
    Device& ours = open("stream_create", instance).device("stream_create", device);
    require("stream_create", "stream", stream);
    *stream = handle(ours.create_stream());
  });
}

sidra_status stream_destroy(sidra_stream* stream) {
  return guarded([&] {
    Stream& ours = open("stream_destroy", stream);
    ours.device.destroy_stream(&ours);
  });
}

sidra_status stream_query(sidra_stream* stream) {
  bool idle = false;
  const sidra_status status = guarded([&] { idle = open("stream_query", stream).idle(); });
  return status == SIDRA_STATUS_OK && !idle ? SIDRA_STATUS_NOT_READY : status;
}

sidra_status stream_synchronize(sidra_stream* stream) {
  return guarded([&] { open("stream_synchronize", stream).synchronize(); });
}

sidra_status stream_wait_event(sidra_stream* stream, sidra_event* event) {
  return guarded([&] {
    Stream& ours = open("stream_wait_event", stream);
    ours.wait_for(open("stream_wait_event", event));
  });
}

sidra_status stream_clock(sidra_stream* stream, double* chip_seconds) {
  return guarded([&] {
    Stream& ours = open("stream_clock", stream);
    require("stream_clock", "chip_seconds", chip_seconds);
    *chip_seconds = ours.chip_seconds();
  });
}

sidra_status event_create(sidra_instance* instance, int32_t device, sidra_event** event) {
  return guarded([&] {
    Device& ours = open("event_create", instance).device("event_create", device);
    require("event_create", "event", event);
    *event = handle(ours.create_event());
  });
}

sidra_status event_destroy(sidra_event* event) {
  return guarded([&] {
    Event& ours = open("event_destroy", event);
    ours.device.destroy_event(&ours);
  });
}

sidra_status event_record(sidra_event* event, sidra_stream* stream) {
  return guarded([&] {
    Event& ours = open("event_record", event);
    Stream& where = open("event_record", stream);
    if (&ours.device != &where.device) {
      fail(SIDRA_STATUS_INVALID_ARGUMENT, "event_record: the event is of device ",
           ours.device.index, ", the stream of device ", where.device.index);
    }
    where.record(ours);
  });
}

sidra_status event_query(sidra_event* event) {
  bool over = true;
  const sidra_status status = guarded([&] {
    const auto mark = open("event_query", event).mark();
    over = mark == nullptr || mark->passed();
  });
  return status == SIDRA_STATUS_OK && !over ? SIDRA_STATUS_NOT_READY : status;
}

sidra_status event_synchronize(sidra_event* event) {
  return guarded([&] {
    const auto mark = open("event_synchronize", event).mark();
    if (mark != nullptr) mark->wait();
  });
}

sidra_status event_elapsed(sidra_event* start, sidra_event* end, double* chip_seconds) {
  return guarded([&] {
    Event& first = open("event_elapsed", start);
    Event& second = open("event_elapsed", end);
    require("event_elapsed", "chip_seconds", chip_seconds);
    if (&first.device != &second.device) {
      fail(SIDRA_STATUS_INVALID_ARGUMENT, "event_elapsed: the events are of devices ",
           first.device.index, " and ", second.device.index, ", whose clocks share no zero");
    }
    const auto from = first.mark(), to = second.mark();
    if (from == nullptr || to == nullptr) {
      fail(SIDRA_STATUS_INVALID_ARGUMENT, "event_elapsed: the ", from == nullptr ? "start" : "end",
           " event was never recorded");
    }
    if (!from->passed() || !to->passed()) {
      fail(SIDRA_STATUS_NOT_READY, "event_elapsed: the ", from->passed() ? "end" : "start",
           " event is still under way");
    }
    *chip_seconds = to->wait() - from->wait();
  });
}

// ---- weights and work -----------------------------------------------------------------------

sidra_status weight_program(sidra_stream* stream, sidra_weight_program_args* args) {
  return guarded([&] {
    Stream& where = open("weight_program", stream);
    Arguments ours("weight_program", args);
    program(where, *ours);
    ours.commit();
  });
}

sidra_status weight_update(sidra_stream* stream, sidra_weight_update_args* args) {
  return guarded([&] {
    Stream& where = open("weight_update", stream);
    Arguments ours("weight_update", args);
    update(where, *ours);
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
    ours->cells_written = of.cells_written;
    ours->host_bytes = of.host_bytes();
    ours.commit();
  });
}

sidra_status weight_free(sidra_weight* weight) {
  return guarded([&] {
    Weight& ours = open("weight_free", weight);
    ours.device.destroy_weight(&ours);
  });
}

sidra_status mvm(sidra_stream* stream, sidra_mvm_args* args) {
  return guarded([&] {
    Stream& where = open("mvm", stream);
    Arguments ours("mvm", args);
    sim::mvm(where, *ours);
    ours.commit();
  });
}

sidra_status account_work(sidra_stream* stream, sidra_work_args* args) {
  return guarded([&] {
    Stream& where = open("account_work", stream);
    Arguments ours("account_work", args);
    account(where, *ours);
    ours.commit();
  });
}

constexpr sidra_driver kDriver = {
    .struct_size = sizeof(sidra_driver),
    .abi_major = SIDRA_ABI_MAJOR,
    .abi_minor = SIDRA_ABI_MINOR,
    .name = "sim",
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
    .describe = describe,
};

}  // namespace
}  // namespace sidra::sim

const sidra_driver* sidra_driver_get(uint32_t abi_major) {
  return abi_major == SIDRA_ABI_MAJOR ? &sidra::sim::kDriver : nullptr;
}
