// Time and energy of everything the chip does. Each constant is a field of ChipSpec.
//
//   MVM          vectors * mvm_seconds * (tiles of the weight that wait for one column of
//                converters), then the digital work on the compute engines
//   engine       max of (operations + look-ups) / (lanes * hertz * compute units) and of
//                bytes / (SRAM bandwidth * compute units)
//   link         latency + bytes / bandwidth, each transfer
//   programming  columns written one after the other in a compute unit; a column takes the mean
//                number of ISPP pulses, each read back once; compute units work in parallel
// Energy `bottom_up` is the sum of the parts at work and leakage, clock and I/O for the time;
// `datasheet` is tdp_watts * time. Streams do not wait for one another's compute units.
#pragma once

#include <cstdint>

#include "drivers/sim/spec.h"
#include "sidra/driver.h"

namespace sidra::sim {

// The sums behind sidra_counters.
struct Totals {
  uint64_t mvms = 0, cells_written = 0, bytes_to_device = 0, bytes_to_host = 0;
  double mvm_seconds = 0, engine_seconds = 0, programming_seconds = 0, transfer_seconds = 0;
  double array_joules = 0, dac_joules = 0, adc_joules = 0, engine_joules = 0, memory_joules = 0;
  double link_joules = 0, programming_joules = 0, static_joules = 0;

  Totals& operator+=(const Totals& other);
};

// What one command adds.
struct Charge {
  sidra_cost cost{};
  Totals totals;
};

struct MvmWork {
  uint64_t vectors, inputs, outputs;
  uint64_t row_tiles, column_tiles;
  uint64_t tiles_in_one_unit;  // most tiles of the weight in one compute unit
  bool dynamic_range;          // ranges are searched for: two compares an input
};

struct ProgrammingWork {
  uint64_t cells;
  uint64_t columns_in_one_unit;  // most columns that one compute unit writes
};

struct EngineWork {
  uint64_t operations, lookups, bytes;
};

class CostModel {
 public:
  explicit CostModel(const ChipSpec& spec);

  Charge mvm(const MvmWork& work) const;
  Charge programming(const ProgrammingWork& work) const;
  Charge engine(const EngineWork& work) const;
  // Operands to the host and results back: two transfers, either absent when it has no bytes.
  Charge host(uint64_t bytes_to_host, uint64_t bytes_to_device) const;

 private:
  void add_engine(Charge& charge, const EngineWork& work) const;
  void add_transfer(Charge& charge, uint64_t bytes) const;
  Charge& finish(Charge& charge) const;  // static energy and the data sheet's

  const ChipSpec& spec_;
  double column_write_seconds_;
  double seconds_per_operation_;  // all engines together
  double seconds_per_sram_byte_;  // all compute units together
  double static_watts_;
};

}  // namespace sidra::sim
