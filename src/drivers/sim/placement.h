// Which tile sits on which crossbar.
//
// A weight [outputs, inputs] is cut into row_tiles x column_tiles tiles, one a crossbar. They are
// dealt to the compute units in turn, cluster by cluster, so that consecutive tiles work at once.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "drivers/sim/spec.h"

namespace sidra::sim {

struct CrossbarAddress {
  uint64_t cluster, compute_unit, crossbar;

  bool operator==(const CrossbarAddress&) const = default;
};

struct Placement {
  uint64_t row_tiles = 0, column_tiles = 0;
  std::vector<uint32_t> crossbars;  // [row_tiles][column_tiles], numbered through the chip
  uint64_t tiles_in_one_unit = 0;   // the most
};

class CrossbarPool {
 public:
  explicit CrossbarPool(const ChipSpec& spec);

  // Throws Error (OUT_OF_CROSSBARS) with needed, free and total; then nothing is taken.
  Placement take(uint64_t outputs, uint64_t inputs);
  void give_back(const Placement& placement);

  uint64_t used() const;
  CrossbarAddress address(uint32_t crossbar) const;
  uint64_t unit_of(uint32_t crossbar) const { return crossbar / spec_.crossbars_per_compute_unit; }

 private:
  uint32_t take_one();  // from the next unit in turn that has one
  uint32_t take_from(uint64_t unit);

  const ChipSpec& spec_;
  const uint64_t words_per_unit_;
  mutable std::mutex mutex_;
  uint64_t free_;
  uint64_t turn_ = 0;
  std::vector<uint64_t> is_free_;       // [units][words_per_unit] bits
  std::vector<uint32_t> free_in_unit_;  // [units]
};

// The greatest sum of `weights` over the crossbars of one compute unit.
//   weights [crossbars]: what each of them has to do
uint64_t most_in_one_unit(const CrossbarPool& pool, const std::vector<uint32_t>& crossbars,
                          const std::vector<uint64_t>& weights);

}  // namespace sidra::sim
