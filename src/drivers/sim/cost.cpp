#include "drivers/sim/cost.h"

#include <algorithm>
#include <cmath>

namespace sidra::sim {
namespace {

// One column: pulse i of mean_iterations lasts start * factor^i, and a read follows each.
double column_seconds(const ChipSpec& spec) {
  const double count = spec.ispp_mean_iterations;
  const double factor = spec.ispp_width_factor;
  const double widths = factor == 1 ? count : (std::pow(factor, count) - 1) / (factor - 1);
  return spec.ispp_start_seconds * widths + count * spec.mvm_seconds();
}

}  // namespace

Totals& Totals::operator+=(const Totals& other) {
  mvms += other.mvms;
  cells_written += other.cells_written;
  bytes_to_device += other.bytes_to_device;
  bytes_to_host += other.bytes_to_host;
  mvm_seconds += other.mvm_seconds;
  engine_seconds += other.engine_seconds;
  programming_seconds += other.programming_seconds;
  transfer_seconds += other.transfer_seconds;
  array_joules += other.array_joules;
  dac_joules += other.dac_joules;
  adc_joules += other.adc_joules;
  engine_joules += other.engine_joules;
  memory_joules += other.memory_joules;
  link_joules += other.link_joules;
  programming_joules += other.programming_joules;
  static_joules += other.static_joules;
  return *this;
}

CostModel::CostModel(const ChipSpec& spec)
    : spec_(spec),
      column_write_seconds_(column_seconds(spec)),
      seconds_per_operation_(1 / (static_cast<double>(spec.engine_lanes) * spec.engine_hertz *
                                  static_cast<double>(spec.compute_units()))),
      seconds_per_sram_byte_(
          1 / (spec.sram_bytes_per_second * static_cast<double>(spec.compute_units()))),
      static_watts_(spec.leakage_watts + spec.clock_io_watts) {}

Charge CostModel::mvm(const MvmWork& work) const {
  const uint64_t tiles = work.row_tiles * work.column_tiles;
  const uint64_t turns = spec_.converters_shared() ? work.tiles_in_one_unit : 1;
  const auto vectors = static_cast<double>(work.vectors);
  Charge charge;
  Totals& totals = charge.totals;
  totals.mvms = work.vectors * tiles;
  totals.mvm_seconds = vectors * spec_.mvm_seconds() * static_cast<double>(turns);
  totals.array_joules =
      vectors * static_cast<double>(tiles) * spec_.array_watts * spec_.mvm_seconds();
  totals.dac_joules =
      vectors * static_cast<double>(work.inputs * work.column_tiles) * spec_.dac_joules;
  totals.adc_joules =
      vectors * static_cast<double>(work.outputs * work.row_tiles) * spec_.adc_joules;
  charge.cost.chip_seconds = totals.mvm_seconds;

  // Codes: one multiply-add an input, two compares more for its range. Outputs: the sum over row
  // tiles, then one multiply and one multiply-add.
  const uint64_t coding = work.inputs * (work.dynamic_range ? 3 : 1);
  const uint64_t summing = work.outputs * (work.row_tiles + 1);
  add_engine(charge, {work.vectors * (coding + summing), 0,
                      work.vectors * 4 * (work.inputs + work.outputs)});
  return finish(charge);
}

Charge CostModel::programming(const ProgrammingWork& work) const {
  Charge charge;
  Totals& totals = charge.totals;
  totals.cells_written = work.cells;
  totals.programming_seconds =
      static_cast<double>(work.columns_in_one_unit) * column_write_seconds_;
  totals.programming_joules = static_cast<double>(work.cells) * spec_.ispp_mean_iterations *
                              (spec_.ispp_pulse_joules + spec_.adc_joules);
  charge.cost.chip_seconds = totals.programming_seconds;
  return finish(charge);
}

Charge CostModel::engine(const EngineWork& work) const {
  Charge charge;
  add_engine(charge, work);
  return finish(charge);
}

Charge CostModel::host(uint64_t bytes_to_host, uint64_t bytes_to_device) const {
  Charge charge;
  charge.totals.bytes_to_host = bytes_to_host;
  charge.totals.bytes_to_device = bytes_to_device;
  if (bytes_to_host > 0) add_transfer(charge, bytes_to_host);
  if (bytes_to_device > 0) add_transfer(charge, bytes_to_device);
  return finish(charge);
}

void CostModel::add_engine(Charge& charge, const EngineWork& work) const {
  const auto operations = static_cast<double>(work.operations);
  const auto lookups = static_cast<double>(work.lookups);
  const auto bytes = static_cast<double>(work.bytes);
  const double seconds =
      std::max((operations + lookups) * seconds_per_operation_, bytes * seconds_per_sram_byte_);
  charge.totals.engine_seconds += seconds;
  charge.totals.engine_joules +=
      operations * spec_.engine_operation_joules + lookups * spec_.lookup_joules;
  charge.totals.memory_joules += bytes * spec_.sram_joules_per_byte;
  charge.cost.chip_seconds += seconds;
}

void CostModel::add_transfer(Charge& charge, uint64_t bytes) const {
  const auto count = static_cast<double>(bytes);
  const double seconds = spec_.link_latency_seconds + count / spec_.link_bytes_per_second;
  charge.totals.transfer_seconds += seconds;
  charge.totals.link_joules += count * spec_.link_joules_per_byte;
  charge.cost.chip_seconds += seconds;
}

Charge& CostModel::finish(Charge& charge) const {
  Totals& totals = charge.totals;
  totals.static_joules = static_watts_ * charge.cost.chip_seconds;
  charge.cost.joules = totals.array_joules + totals.dac_joules + totals.adc_joules +
                       totals.engine_joules + totals.memory_joules + totals.link_joules +
                       totals.programming_joules + totals.static_joules;
  charge.cost.datasheet_joules = spec_.tdp_watts * charge.cost.chip_seconds;
  return charge;
}

}  // namespace sidra::sim
