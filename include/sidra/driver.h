/* The driver ABI: the one door between the run time and a chip, real or simulated.
 *
 * A driver is a shared library that exports `sidra_driver_get`. The run time loads the library
 * that SIDRA_DRIVER names and speaks to the chip through the function table that it returns.
 *
 * Rules (docs/driver_abi.md has the reasons):
 *  - C11 and C++; only <stddef.h> and <stdint.h>.
 *  - Append only. A struct starts with `struct_size`, set by its owner to sizeof; a reader ignores
 *    what lies past the smaller of the two sizes. A function added later is absent when
 *    `struct_size` of the table does not reach it. Each addition raises SIDRA_ABI_MINOR.
 *  - No function prints, aborts or throws. Each returns a status; the text of the last failure of
 *    the calling thread is `last_error()`.
 *  - Every function may be called from any thread, and at the same time from several. Commands of
 *    one stream run in the order of submission; two threads that submit to one stream are ordered
 *    by themselves.
 *  - Device memory is named by 64-bit device addresses. Adding to an address inside one allocation
 *    is legal. 0 is no address. An address in no allocation is NOT_FOUND, a range past the end of
 *    its allocation INVALID_ARGUMENT. Operands of a command lie on the stream's device.
 *  - Strides are in elements. A vector is one row of the activation matrix; its `inputs` lie on the
 *    word lines (crossbar rows), its `outputs` on the bit lines (crossbar columns).
 *  - Times are chip time in seconds, energies joules; neither is host time.
 */
#ifndef SIDRA_DRIVER_H
#define SIDRA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIDRA_ABI_MAJOR 1 /* raised when a caller of the old table would break */
#define SIDRA_ABI_MINOR 0 /* raised by each addition */

#if defined(_WIN32)
#define SIDRA_EXPORT __declspec(dllexport)
#else
#define SIDRA_EXPORT __attribute__((visibility("default")))
#endif

typedef enum sidra_status {
  SIDRA_STATUS_OK = 0,
  SIDRA_STATUS_INVALID_ARGUMENT = 1,   /* a value the function never takes */
  SIDRA_STATUS_OUT_OF_MEMORY = 2,      /* device memory exhausted */
  SIDRA_STATUS_OUT_OF_CROSSBARS = 3,   /* the weight does not fit what is free */
  SIDRA_STATUS_PROGRAMMING_FAILED = 4, /* cells did not reach their level */
  SIDRA_STATUS_ENDURANCE_EXCEEDED = 5, /* cells written more often than they last */
  SIDRA_STATUS_NOT_FOUND = 6,          /* no such device, address or key */
  SIDRA_STATUS_NOT_READY = 7,          /* of the query functions: work is still under way */
  SIDRA_STATUS_UNSUPPORTED = 8,        /* legal, but this driver or chip cannot */
  SIDRA_STATUS_DEVICE_LOST = 9,        /* the chip stopped answering */
  SIDRA_STATUS_INTERNAL = 10,          /* a fault of the driver itself */
  SIDRA_STATUS_FORCE_32BIT = 0x7fffffff
} sidra_status;

typedef struct sidra_instance sidra_instance; /* an opened driver with its devices */
typedef struct sidra_stream sidra_stream;     /* an ordered queue of commands of one device */
typedef struct sidra_event sidra_event;       /* a mark in a stream */
typedef struct sidra_weight sidra_weight;     /* a matrix that occupies crossbars */

/* ---- what the opener lends to the driver ------------------------------------------------- */

typedef void (*sidra_range_function)(void* body_context, uint64_t begin, uint64_t end);

/* output[m][n] = sum over k of left[m][k] * right[n][k], float32, host pointers. */
typedef struct sidra_matmul_f32_args {
  size_t struct_size;
  const float* left;
  const float* right;
  float* output;
  uint64_t rows, columns, depth; /* m, n, k */
  uint64_t left_stride, right_stride, output_stride;
} sidra_matmul_f32_args;

/* Services of the host process. They may be called from any thread until the instance is
 * destroyed. A driver never starts compute threads of its own while `parallel_for` is there. */
typedef struct sidra_host_services {
  size_t struct_size;
  void* context;
  /* Calls `body` over disjoint ranges that cover [0, count) and returns when all are done. A range
   * shorter than `grain` is not worth a thread. NULL: the driver runs serially. */
  void (*parallel_for)(void* context, uint64_t count, uint64_t grain, sidra_range_function body,
                       void* body_context);
  /* A tuned float32 product. NULL: the driver uses its own. */
  void (*matmul_f32)(void* context, const sidra_matmul_f32_args* args);
} sidra_host_services;

/* ---- instance and devices ---------------------------------------------------------------- */

typedef struct sidra_instance_create_args {
  size_t struct_size;
  /* UTF-8 lines `key=value`; NULL is empty. Every driver knows `devices` (how many to offer). An
   * unknown key or a bad value is INVALID_ARGUMENT, and last_error names it. */
  const char* config;
  const sidra_host_services* services; /* NULL: none. Must outlive the instance */
  /* out */
  sidra_instance* instance;
  int32_t device_count;
} sidra_instance_create_args;

enum {
  /* memory_host_pointer works: the host may read and write device memory in place whenever no
   * command that touches it is under way. */
  SIDRA_DEVICE_HOST_COHERENT = 1u << 0,
  /* A command has finished when its submission returns. */
  SIDRA_DEVICE_COMPLETES_AT_SUBMISSION = 1u << 1,
  /* Products are exact float32: no converters lie in between. */
  SIDRA_DEVICE_EXACT = 1u << 2,
  /* Products are accepted and never computed: outputs keep what they held. */
  SIDRA_DEVICE_COMPUTES_NOTHING = 1u << 3
};

typedef struct sidra_device_properties {
  size_t struct_size;
  /* out */
  char name[64]; /* of the chip, e.g. "y1" */
  uint32_t flags;
  uint32_t crossbar_rows, crossbar_columns;
  uint32_t crossbars, compute_units, clusters; /* of the whole chip */
  uint32_t dac_bits, adc_bits;                 /* 0: no converter */
  uint64_t memory_bytes;
} sidra_device_properties;

/* Totals since the instance was created. They only grow. */
typedef struct sidra_counters {
  size_t struct_size;
  /* out */
  uint64_t mvms;          /* analog multiplies of one crossbar by one vector */
  uint64_t cells_written; /* cells whose level was programmed */
  uint64_t bytes_to_device, bytes_to_host;
  double mvm_seconds, engine_seconds, programming_seconds, transfer_seconds;
  double array_joules, dac_joules, adc_joules, engine_joules, memory_joules, link_joules;
  double programming_joules;
  double static_joules;    /* leakage, clock and I/O while commands ran */
  uint32_t crossbars_used; /* now, not a total */
} sidra_counters;

/* What a command adds to its stream's clock and to the energy account, both energy profiles:
 * the sum of the parts at work, and the data sheet's power times the time. */
typedef struct sidra_cost {
  double chip_seconds;
  double joules;
  double datasheet_joules;
} sidra_cost;

/* ---- weights ------------------------------------------------------------------------------ */

typedef enum sidra_value_type {
  SIDRA_VALUE_F32 = 0,
  SIDRA_VALUE_I8 = 1,
  SIDRA_VALUE_FORCE_32BIT = 0x7fffffff
} sidra_value_type;

/* A matrix of `outputs` x `inputs` values in device memory. */
typedef struct sidra_weight_program_args {
  size_t struct_size;
  uint64_t outputs, inputs;
  uint64_t values;                      /* device address */
  uint64_t output_stride, input_stride; /* elements; 0 repeats */
  sidra_value_type type;                /* F32: quantised here. I8: taken as the levels */
  uint64_t scales;                      /* I8: address of f32 [outputs]; F32: 0 */
  uint64_t full_scales;                 /* address of f32 [outputs], ADC range in units of
                                           input code x level; 0: the chip's rule */
  /* out */
  sidra_weight* weight;
  uint64_t cells_written;
  sidra_cost cost;
} sidra_weight_program_args;

/* New values for outputs [first_output, first_output + outputs); only cells whose level changes
 * are written. `type` must be the one it was programmed with. */
typedef struct sidra_weight_update_args {
  size_t struct_size;
  sidra_weight* weight;
  uint64_t first_output, outputs;
  uint64_t values;
  uint64_t output_stride, input_stride;
  uint64_t scales;      /* I8: f32 [outputs of this call] */
  uint64_t full_scales; /* f32 [outputs of this call], or 0 */
  /* out */
  uint64_t cells_written;
  sidra_cost cost;
} sidra_weight_update_args;

typedef struct sidra_weight_info {
  size_t struct_size;
  /* out */
  uint64_t outputs, inputs;
  uint32_t crossbars;
  uint64_t cells;         /* cells that hold a weight */
  uint64_t cells_written; /* since it was first programmed, this included */
  uint64_t host_bytes;    /* what the driver keeps of it in host memory */
} sidra_weight_info;

typedef enum sidra_activation {
  SIDRA_ACTIVATION_NONE = 0,
  SIDRA_ACTIVATION_RELU = 1,
  SIDRA_ACTIVATION_FORCE_32BIT = 0x7fffffff
} sidra_activation;

/* output[m][n] = activation(product of input[m] and weight[n], + bias[n]), float32. */
typedef struct sidra_mvm_args {
  size_t struct_size;
  const sidra_weight* weight;
  uint64_t vectors;
  uint64_t input, input_stride;   /* f32 [vectors][inputs] */
  uint64_t output, output_stride; /* f32 [vectors][outputs] */
  uint64_t bias;                  /* f32 [outputs], or 0 */
  sidra_activation activation;
  float input_scale;  /* 0: range of each vector from its own values */
  int32_t input_zero; /* code of 0.0, with input_scale */
  /* out */
  sidra_cost cost;
} sidra_mvm_args;

/* ---- work that is not an MVM -------------------------------------------------------------- */

typedef enum sidra_place {
  SIDRA_PLACE_ENGINE = 0, /* the chip's compute engines */
  SIDRA_PLACE_HOST = 1,   /* the host, operands crossing the link both ways */
  SIDRA_PLACE_FORCE_32BIT = 0x7fffffff
} sidra_place;

/* An operator that the host evaluates on coherent memory in the chip's stead, or for itself. The
 * driver advances the stream's clock and the energy account by what the chip would need. */
typedef struct sidra_work_args {
  size_t struct_size;
  sidra_place place;
  uint64_t alu_operations; /* 32-bit multiply-adds, adds, compares */
  uint64_t lookups;        /* reads of an activation table */
  uint64_t bytes_read, bytes_written;
  /* out */
  sidra_cost cost;
} sidra_work_args;

/* ---- the table ---------------------------------------------------------------------------- */

typedef struct sidra_driver {
  size_t struct_size;
  uint32_t abi_major, abi_minor;
  const char* name;    /* "sim" */
  const char* version; /* of the driver, for people */

  /* Text of the calling thread's last failure, "" before any. Valid until its next call. */
  const char* (*last_error)(void);

  /* Destroying waits for all streams; handles of the instance die with it. */
  sidra_status (*instance_create)(sidra_instance_create_args* args);
  sidra_status (*instance_destroy)(sidra_instance* instance);
  sidra_status (*device_properties)(sidra_instance* instance, int32_t device,
                                    sidra_device_properties* properties);
  sidra_status (*device_counters)(sidra_instance* instance, int32_t device,
                                  sidra_counters* counters);
  /* Waits for all streams of the device. */
  sidra_status (*device_synchronize)(sidra_instance* instance, int32_t device);

  /* Addresses are aligned to 64 bytes at least; 0 bytes are INVALID_ARGUMENT. Freeing does not
   * wait: the caller has made sure that no command still uses the memory. An address not handed
   * out is NOT_FOUND. */
  sidra_status (*memory_alloc)(sidra_instance* instance, int32_t device, uint64_t bytes,
                               uint64_t* address);
  sidra_status (*memory_free)(sidra_instance* instance, uint64_t address);
  sidra_status (*memory_info)(sidra_instance* instance, int32_t device, uint64_t* free_bytes,
                              uint64_t* total_bytes);
  /* Host pointer to device memory; UNSUPPORTED without SIDRA_DEVICE_HOST_COHERENT. It may equal
   * the address, and is valid until the memory is freed. */
  sidra_status (*memory_host_pointer)(sidra_instance* instance, uint64_t address, uint64_t bytes,
                                      void** pointer);
  /* Copies are commands of the stream. The host buffer must stay until the stream passed them.
   * Both addresses of copy_on_device may lie on any devices of the instance; ranges may not
   * overlap. `cost` may be NULL. */
  sidra_status (*copy_to_device)(sidra_stream* stream, uint64_t destination, const void* source,
                                 uint64_t bytes, sidra_cost* cost);
  sidra_status (*copy_to_host)(sidra_stream* stream, void* destination, uint64_t source,
                               uint64_t bytes, sidra_cost* cost);
  sidra_status (*copy_on_device)(sidra_stream* stream, uint64_t destination, uint64_t source,
                                 uint64_t bytes, sidra_cost* cost);

  /* `priority`: lower is sooner; a hint. Destroying waits for the stream. A command that fails
   * after submission is reported by the next synchronize of its stream or device, once; destroying
   * the stream drops the report. */
  sidra_status (*stream_create)(sidra_instance* instance, int32_t device, int32_t priority,
                                sidra_stream** stream);
  sidra_status (*stream_destroy)(sidra_stream* stream);
  sidra_status (*stream_query)(sidra_stream* stream); /* OK or NOT_READY */
  sidra_status (*stream_synchronize)(sidra_stream* stream);
  /* Later commands of `stream` start after `event`; its chip clock moves up to the event's. An
   * event never recorded is already over. */
  sidra_status (*stream_wait_event)(sidra_stream* stream, sidra_event* event);
  /* Chip time at which the stream's last finished command ends; streams of a device share zero. */
  sidra_status (*stream_clock)(sidra_stream* stream, double* chip_seconds);

  /* An event is recorded on streams of its device; recording again moves the mark. Querying or
   * synchronizing an event never recorded is OK. A stream that waits for a mark still does after
   * the event is destroyed. */
  sidra_status (*event_create)(sidra_instance* instance, int32_t device, sidra_event** event);
  sidra_status (*event_destroy)(sidra_event* event);
  sidra_status (*event_record)(sidra_event* event, sidra_stream* stream);
  sidra_status (*event_query)(sidra_event* event); /* OK or NOT_READY */
  sidra_status (*event_synchronize)(sidra_event* event);
  /* Chip seconds from start to end. NOT_READY while either is under way, INVALID_ARGUMENT when
   * either was never recorded or they are of two devices, whose clocks share no zero. */
  sidra_status (*event_elapsed)(sidra_event* start, sidra_event* end, double* chip_seconds);

  /* Values are read in stream order and may be overwritten or freed after the stream passed the
   * command. The handle may be used at once by commands of the same stream; by another stream
   * after an event. An update may wait for its stream: how many cells change is a result. Values
   * that no cell can hold are INVALID_ARGUMENT, and nothing is written. */
  sidra_status (*weight_program)(sidra_stream* stream, sidra_weight_program_args* args);
  sidra_status (*weight_update)(sidra_stream* stream, sidra_weight_update_args* args);
  sidra_status (*weight_query)(const sidra_weight* weight, sidra_weight_info* info);
  /* Waits for commands that use it, then its crossbars are free. */
  sidra_status (*weight_free)(sidra_weight* weight);

  sidra_status (*mvm)(sidra_stream* stream, sidra_mvm_args* args);
  sidra_status (*account_work)(sidra_stream* stream, sidra_work_args* args);

  /* What the driver is made of, as a JSON object for people and tools; NULL: says nothing. The
   * simulator gives "isa" and "microkernels". The text lives as long as the library. */
  const char* (*describe)(void);
} sidra_driver;

/* The one exported symbol. Returns the table of the greatest version that the driver has within
 * `abi_major`, or NULL when it has none. The table lives as long as the library. */
typedef const sidra_driver* (*sidra_driver_get_function)(uint32_t abi_major);
SIDRA_EXPORT const sidra_driver* sidra_driver_get(uint32_t abi_major);

#ifdef __cplusplus
}
#endif

#endif /* SIDRA_DRIVER_H */
