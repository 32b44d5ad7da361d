// The commands of a stream: arguments checked, cost computed, work submitted. All throw Error.
#pragma once

#include <cstdint>

#include "drivers/sim/queue.h"
#include "drivers/sim/weight.h"
#include "sidra/driver.h"

namespace sidra::sim {

sidra_cost copy_to_device(Stream& stream, uint64_t destination, const void* source, uint64_t bytes);
sidra_cost copy_to_host(Stream& stream, void* destination, uint64_t source, uint64_t bytes);
sidra_cost copy_on_device(Stream& stream, uint64_t destination, uint64_t source, uint64_t bytes);

void program(Stream& stream, sidra_weight_program_args& args);
void update(Stream& stream, sidra_weight_update_args& args);
void mvm(Stream& stream, sidra_mvm_args& args);
void account(Stream& stream, sidra_work_args& args);

}  // namespace sidra::sim
