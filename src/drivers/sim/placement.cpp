#include "drivers/sim/placement.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "drivers/abi/error.h"

namespace sidra::sim {
namespace {

uint64_t tiles(uint64_t length, uint64_t tile) { return (length - 1) / tile + 1; }  // length > 0

}  // namespace

CrossbarPool::CrossbarPool(const ChipSpec& spec)
    : spec_(spec),
      words_per_unit_(tiles(spec.crossbars_per_compute_unit, 64)),
      free_(spec.crossbars()),
      is_free_(spec.compute_units() * words_per_unit_, ~uint64_t{0}),
      free_in_unit_(spec.compute_units(), static_cast<uint32_t>(spec.crossbars_per_compute_unit)) {
  const uint64_t last = spec.crossbars_per_compute_unit % 64;
  if (last == 0) return;
  for (uint64_t unit = 1; unit <= spec.compute_units(); ++unit) {
    is_free_[unit * words_per_unit_ - 1] = (uint64_t{1} << last) - 1;
  }
}

Placement CrossbarPool::take(uint64_t outputs, uint64_t inputs) {
  Placement placement;
  placement.row_tiles = tiles(inputs, spec_.crossbar_rows);
  placement.column_tiles = tiles(outputs, spec_.crossbar_columns);
  const uint64_t total = spec_.crossbars();
  const std::lock_guard lock(mutex_);
  // Each factor is compared first: their product may not fit 64 bits.
  if (placement.row_tiles > free_ || placement.column_tiles > free_ ||
      placement.row_tiles * placement.column_tiles > free_) {
    fail(SIDRA_STATUS_OUT_OF_CROSSBARS, "weight of ", outputs, " outputs x ", inputs,
         " inputs needs ", placement.row_tiles, " x ", placement.column_tiles,
         " crossbars, free are ", free_, " of ", total);
  }
  const uint64_t count = placement.row_tiles * placement.column_tiles;
  placement.crossbars.reserve(count);
  while (placement.crossbars.size() < count) placement.crossbars.push_back(take_one());
  placement.tiles_in_one_unit =
      most_in_one_unit(*this, placement.crossbars, std::vector<uint64_t>(count, 1));
  return placement;
}

void CrossbarPool::give_back(const Placement& placement) {
  const std::lock_guard lock(mutex_);
  for (const uint32_t crossbar : placement.crossbars) {
    const uint64_t unit = unit_of(crossbar);
    const uint64_t bit = crossbar % spec_.crossbars_per_compute_unit;
    is_free_[unit * words_per_unit_ + bit / 64] |= uint64_t{1} << (bit % 64);
    ++free_in_unit_[unit];
  }
  free_ += placement.crossbars.size();
}

uint64_t CrossbarPool::used() const {
  const std::lock_guard lock(mutex_);
  return spec_.crossbars() - free_;
}

CrossbarAddress CrossbarPool::address(uint32_t crossbar) const {
  const uint64_t unit = unit_of(crossbar);
  return {unit / spec_.compute_units_per_cluster, unit % spec_.compute_units_per_cluster,
          crossbar % spec_.crossbars_per_compute_unit};
}

uint32_t CrossbarPool::take_one() {
  for (;;) {
    const uint64_t cluster = turn_ % spec_.clusters;
    const uint64_t unit = cluster * spec_.compute_units_per_cluster + turn_ / spec_.clusters;
    turn_ = (turn_ + 1) % spec_.compute_units();
    if (free_in_unit_[unit] > 0) return take_from(unit);
  }
}

uint32_t CrossbarPool::take_from(uint64_t unit) {
  uint64_t word = unit * words_per_unit_;
  while (is_free_[word] == 0) ++word;
  const auto bit = static_cast<uint64_t>(std::countr_zero(is_free_[word]));
  is_free_[word] &= is_free_[word] - 1;
  --free_in_unit_[unit];
  --free_;
  const uint64_t crossbar = (word - unit * words_per_unit_) * 64 + bit;
  return static_cast<uint32_t>(unit * spec_.crossbars_per_compute_unit + crossbar);
}

uint64_t most_in_one_unit(const CrossbarPool& pool, const std::vector<uint32_t>& crossbars,
                          const std::vector<uint64_t>& weights) {
  std::vector<std::pair<uint64_t, uint64_t>> by_unit;  // unit, weight
  by_unit.reserve(crossbars.size());
  for (size_t i = 0; i < crossbars.size(); ++i) {
    by_unit.emplace_back(pool.unit_of(crossbars[i]), weights[i]);
  }
  std::sort(by_unit.begin(), by_unit.end());
  uint64_t most = 0, sum = 0;
  for (size_t i = 0; i < by_unit.size(); ++i) {
    const bool same_unit = i > 0 && by_unit[i].first == by_unit[i - 1].first;
    sum = (same_unit ? sum : 0) + by_unit[i].second;
    most = std::max(most, sum);
  }
  return most;
}

}  // namespace sidra::sim
