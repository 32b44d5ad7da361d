/* driver.h is C11: this file is compiled as C with -pedantic, and pins the layout of version 1.0.
 * Appending to a struct leaves each of these true. */
#include "sidra/driver.h"

#define SIDRA_STARTS_WITH_SIZE(type) \
  _Static_assert(offsetof(type, struct_size) == 0, #type " starts with struct_size")

SIDRA_STARTS_WITH_SIZE(sidra_matmul_f32_args);
SIDRA_STARTS_WITH_SIZE(sidra_host_services);
SIDRA_STARTS_WITH_SIZE(sidra_instance_create_args);
SIDRA_STARTS_WITH_SIZE(sidra_device_properties);
SIDRA_STARTS_WITH_SIZE(sidra_counters);
SIDRA_STARTS_WITH_SIZE(sidra_weight_program_args);
SIDRA_STARTS_WITH_SIZE(sidra_weight_update_args);
SIDRA_STARTS_WITH_SIZE(sidra_weight_info);
SIDRA_STARTS_WITH_SIZE(sidra_mvm_args);
SIDRA_STARTS_WITH_SIZE(sidra_work_args);
SIDRA_STARTS_WITH_SIZE(sidra_driver);

#define SIDRA_AT(type, field, offset) \
  _Static_assert(offsetof(type, field) == (offset), #type "." #field " has moved")

#if UINTPTR_MAX == UINT64_MAX
SIDRA_AT(sidra_matmul_f32_args, output_stride, 72);
SIDRA_AT(sidra_host_services, matmul_f32, 24);
SIDRA_AT(sidra_instance_create_args, device_count, 32);
SIDRA_AT(sidra_device_properties, memory_bytes, 104);
SIDRA_AT(sidra_counters, crossbars_used, 136);
SIDRA_AT(sidra_weight_program_args, cost, 88);
SIDRA_AT(sidra_weight_update_args, cost, 80);
SIDRA_AT(sidra_weight_info, host_bytes, 48);
SIDRA_AT(sidra_mvm_args, cost, 80);
SIDRA_AT(sidra_work_args, cost, 48);
SIDRA_AT(sidra_driver, describe, 280);
#endif

_Static_assert(sizeof(sidra_status) == 4, "enums are 32 bits wide");
_Static_assert(sizeof(sidra_value_type) == 4, "enums are 32 bits wide");
_Static_assert(sizeof(sidra_activation) == 4, "enums are 32 bits wide");
_Static_assert(sizeof(sidra_place) == 4, "enums are 32 bits wide");

/* A driver's table is a constant expression in C too. */
const sidra_driver* sidra_conformance_header(void);
const sidra_driver* sidra_conformance_header(void) {
  static const sidra_driver table = {.struct_size = sizeof(sidra_driver),
                                     .abi_major = SIDRA_ABI_MAJOR,
                                     .abi_minor = SIDRA_ABI_MINOR};
  return &table;
}
