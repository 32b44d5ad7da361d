/* A driver whose commands look unfinished until somebody waits for them.
 *
 * It shows, without any race, what the run time does while work is under way. Memory is host
 * memory, MEMORY_BYTES a device; copies are done at once; each command takes one chip second.
 * Weights are not supported. With -DBREAK_... the table is one that must be refused.
 */
#include <stdlib.h>
#include <string.h>

#include "sidra/driver.h"

#define DEVICES 2
#define STREAMS 256
#define BLOCKS 4096
#define MEMORY_BYTES (48u << 20)

struct sidra_instance {
  uint64_t used[DEVICES];
  struct {
    uint64_t address, bytes;
    int32_t device;
  } blocks[BLOCKS];
};
struct sidra_stream {
  int32_t device;
  uint64_t submitted, finished;
};
struct sidra_event {
  sidra_stream* stream;
  uint64_t mark;
};

static sidra_instance the_instance;
static sidra_stream* streams[STREAMS];
static int stream_count;
static const char* error_text = "";

static sidra_status fail(sidra_status status, const char* text) {
  error_text = text;
  return status;
}
static const char* last_error(void) { return error_text; }

static sidra_status instance_create(sidra_instance_create_args* args) {
  if (args->config && strstr(args->config, "colour"))
    return fail(SIDRA_STATUS_INVALID_ARGUMENT, "unknown key 'colour'");
  args->instance = &the_instance;
  args->device_count = args->config && strstr(args->config, "devices=0") ? 0 : DEVICES;
  return SIDRA_STATUS_OK;
}
static sidra_status instance_destroy(sidra_instance* instance) {
  (void)instance;
  return SIDRA_STATUS_OK;
}
static sidra_status device_properties(sidra_instance* instance, int32_t device,
                                      sidra_device_properties* properties) {
  (void)instance;
  (void)device;
  strcpy(properties->name, "late");
  properties->flags = SIDRA_DEVICE_HOST_COHERENT;
  properties->crossbar_rows = properties->crossbar_columns = 4;
  properties->crossbars = properties->compute_units = properties->clusters = 1;
  properties->memory_bytes = MEMORY_BYTES;
  return SIDRA_STATUS_OK;
}
static sidra_status device_counters(sidra_instance* instance, int32_t device,
                                    sidra_counters* counters) {
  (void)instance;
  (void)device;
  counters->mvms = 7;
  return SIDRA_STATUS_OK;
}
static sidra_status device_synchronize(sidra_instance* instance, int32_t device) {
  (void)instance;
  for (int i = 0; i < stream_count; ++i)
    if (streams[i]->device == device) streams[i]->finished = streams[i]->submitted;
  return SIDRA_STATUS_OK;
}

static sidra_status memory_alloc(sidra_instance* instance, int32_t device, uint64_t bytes,
                                 uint64_t* address) {
  if (instance->used[device] + bytes > MEMORY_BYTES)
    return fail(SIDRA_STATUS_OUT_OF_MEMORY, "the device is full");
  for (int i = 0; i < BLOCKS; ++i) {
    if (instance->blocks[i].address) continue;
    void* memory = aligned_alloc(64, bytes);
    if (!memory) break;
    *address = (uint64_t)(uintptr_t)memory;
    instance->blocks[i].address = *address;
    instance->blocks[i].bytes = bytes;
    instance->blocks[i].device = device;
    instance->used[device] += bytes;
    return SIDRA_STATUS_OK;
  }
  return fail(SIDRA_STATUS_INTERNAL, "the host is full");
}
static sidra_status memory_free(sidra_instance* instance, uint64_t address) {
  for (int i = 0; i < BLOCKS; ++i) {
    if (instance->blocks[i].address != address) continue;
    instance->used[instance->blocks[i].device] -= instance->blocks[i].bytes;
    instance->blocks[i].address = 0;
    free((void*)(uintptr_t)address);
    return SIDRA_STATUS_OK;
  }
  return fail(SIDRA_STATUS_NOT_FOUND, "no such address");
}
static sidra_status memory_info(sidra_instance* instance, int32_t device, uint64_t* free_bytes,
                                uint64_t* total_bytes) {
  *free_bytes = MEMORY_BYTES - instance->used[device];
  *total_bytes = MEMORY_BYTES;
  return SIDRA_STATUS_OK;
}
static sidra_status memory_host_pointer(sidra_instance* instance, uint64_t address, uint64_t bytes,
                                        void** pointer) {
  (void)instance;
  (void)bytes;
  *pointer = (void*)(uintptr_t)address;
  return SIDRA_STATUS_OK;
}

static sidra_status submit(sidra_stream* stream, sidra_cost* cost) {
  ++stream->submitted;
  if (cost) {
    memset(cost, 0, sizeof(*cost));
    cost->chip_seconds = 1;
  }
  return SIDRA_STATUS_OK;
}
static sidra_status copy_to_device(sidra_stream* stream, uint64_t destination, const void* source,
                                   uint64_t bytes, sidra_cost* cost) {
  memcpy((void*)(uintptr_t)destination, source, bytes);
  return submit(stream, cost);
}
static sidra_status copy_to_host(sidra_stream* stream, void* destination, uint64_t source,
                                 uint64_t bytes, sidra_cost* cost) {
  memcpy(destination, (void*)(uintptr_t)source, bytes);
  return submit(stream, cost);
}
static sidra_status copy_on_device(sidra_stream* stream, uint64_t destination, uint64_t source,
                                   uint64_t bytes, sidra_cost* cost) {
  memcpy((void*)(uintptr_t)destination, (void*)(uintptr_t)source, bytes);
  return submit(stream, cost);
}

static sidra_status stream_create(sidra_instance* instance, int32_t device, int32_t priority,
                                  sidra_stream** stream) {
  (void)instance;
  (void)priority;
  if (stream_count == STREAMS) return fail(SIDRA_STATUS_INTERNAL, "too many streams");
  *stream = calloc(1, sizeof(**stream));
  (*stream)->device = device;
  streams[stream_count++] = *stream;
  return SIDRA_STATUS_OK;
}
static sidra_status stream_destroy(sidra_stream* stream) {
  (void)stream;
  return SIDRA_STATUS_OK;
}
static sidra_status stream_query(sidra_stream* stream) {
  return stream->finished == stream->submitted ? SIDRA_STATUS_OK : SIDRA_STATUS_NOT_READY;
}
static sidra_status stream_synchronize(sidra_stream* stream) {
  stream->finished = stream->submitted;
  return SIDRA_STATUS_OK;
}
static sidra_status stream_wait_event(sidra_stream* stream, sidra_event* event) {
  (void)event;
  return submit(stream, NULL);
}
static sidra_status stream_clock(sidra_stream* stream, double* chip_seconds) {
  *chip_seconds = (double)stream->finished;
  return SIDRA_STATUS_OK;
}

static sidra_status event_create(sidra_instance* instance, int32_t device, sidra_event** event) {
  (void)instance;
  (void)device;
  *event = calloc(1, sizeof(**event));
  return SIDRA_STATUS_OK;
}
static sidra_status event_destroy(sidra_event* event) {
  free(event);
  return SIDRA_STATUS_OK;
}
static sidra_status event_record(sidra_event* event, sidra_stream* stream) {
  event->stream = stream;
  event->mark = ++stream->submitted;
  return SIDRA_STATUS_OK;
}
static sidra_status event_query(sidra_event* event) {
  if (!event->stream || event->stream->finished >= event->mark) return SIDRA_STATUS_OK;
  return SIDRA_STATUS_NOT_READY;
}
static sidra_status event_synchronize(sidra_event* event) {
  if (event_query(event) != SIDRA_STATUS_OK) event->stream->finished = event->mark;
  return SIDRA_STATUS_OK;
}
static sidra_status event_elapsed(sidra_event* start, sidra_event* end, double* chip_seconds) {
  if (event_query(start) != SIDRA_STATUS_OK || event_query(end) != SIDRA_STATUS_OK)
    return SIDRA_STATUS_NOT_READY;
  *chip_seconds = (double)end->mark - (double)start->mark;
  return SIDRA_STATUS_OK;
}

static sidra_status weight_program(sidra_stream* stream, sidra_weight_program_args* args) {
  (void)stream;
  (void)args;
  return fail(SIDRA_STATUS_OUT_OF_CROSSBARS, "there are no crossbars");
}
static sidra_status weight_update(sidra_stream* stream, sidra_weight_update_args* args) {
  (void)stream;
  (void)args;
  return fail(SIDRA_STATUS_UNSUPPORTED, "there are no weights");
}
static sidra_status weight_query(const sidra_weight* weight, sidra_weight_info* info) {
  (void)weight;
  (void)info;
  return fail(SIDRA_STATUS_UNSUPPORTED, "there are no weights");
}
static sidra_status weight_free(sidra_weight* weight) {
  (void)weight;
  return SIDRA_STATUS_OK;
}
static sidra_status mvm(sidra_stream* stream, sidra_mvm_args* args) {
  (void)stream;
  (void)args;
  return fail(SIDRA_STATUS_UNSUPPORTED, "there are no weights");
}
static sidra_status account_work(sidra_stream* stream, sidra_work_args* args) {
  return submit(stream, &args->cost);
}

#ifdef BREAK_SYMBOL
#define sidra_driver_get some_other_symbol
SIDRA_EXPORT const sidra_driver* sidra_driver_get(uint32_t abi_major);
#endif

const sidra_driver* sidra_driver_get(uint32_t abi_major) {
  static sidra_driver table = {sizeof(sidra_driver),
                               SIDRA_ABI_MAJOR,
                               SIDRA_ABI_MINOR,
                               "late",
                               "1.2.3",
                               last_error,
                               instance_create,
                               instance_destroy,
                               device_properties,
                               device_counters,
                               device_synchronize,
                               memory_alloc,
                               memory_free,
                               memory_info,
                               memory_host_pointer,
                               copy_to_device,
                               copy_to_host,
                               copy_on_device,
                               stream_create,
                               stream_destroy,
                               stream_query,
                               stream_synchronize,
                               stream_wait_event,
                               stream_clock,
                               event_create,
                               event_destroy,
                               event_record,
                               event_query,
                               event_synchronize,
                               event_elapsed,
                               weight_program,
                               weight_update,
                               weight_query,
                               weight_free,
                               mvm,
                               account_work,
                               NULL};
  (void)abi_major;
#ifdef BREAK_TABLE
  return NULL;
#endif
#ifdef BREAK_MAJOR
  table.abi_major = SIDRA_ABI_MAJOR + 1;
#endif
#ifdef BREAK_LENGTH
  table.struct_size = 64;
#endif
#ifdef BREAK_ENTRY
  table.instance_destroy = NULL;
#endif
  return &table;
}
