// Writing a weight into its cells: values to levels, levels to packed form, and what changed.
#pragma once

#include <cstdint>
#include <vector>

#include "drivers/sim/columns.h"
#include "drivers/sim/host.h"
#include "drivers/sim/spec.h"
#include "drivers/sim/weight.h"

namespace sidra::sim {

// What had to be written.
struct Written {
  uint64_t cells = 0;
  std::vector<uint64_t> columns;  // [row tiles][column tiles]: columns of a tile with such a cell
};

// Gives a weight with a placement the memory of its levels.
void reserve_levels(Weight& weight, const ChipSpec& spec);

// Writes all outputs of a fresh weight: every cell counts. Throws Error, naming output and input,
// for a value that no cell holds; then the weight stays not programmed.
void program_weight(Weight& weight, const WeightValues& values, const ChipSpec& spec,
                    const Host& host);

// Writes the cells whose level changes. Throws like program_weight, before anything is written.
Written update_weight(Weight& weight, const WeightValues& values, const ChipSpec& spec,
                      const Host& host);

}  // namespace sidra::sim
