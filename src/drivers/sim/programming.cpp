#include "drivers/sim/programming.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <mutex>

#include "drivers/abi/error.h"
#include "drivers/sim/full_scale.h"
#include "drivers/sim/levels.h"
#include "kernels/mvm/mvm.h"

namespace sidra::sim {
namespace {

constexpr uint64_t kBlock = kernels::kMvmBlockColumns;

uint64_t padded(uint64_t outputs) { return kernels::mvm_column_blocks(outputs) * kBlock; }

template <typename T>
const T* typed(const WeightValues& values) {
  return reinterpret_cast<const T*>(values.values);
}

// Outputs [first, first + count) of the weight as they arrive: [count][inputs], contiguous.
template <typename T>
void gather(const WeightValues& from, uint64_t first, uint64_t count, uint64_t inputs, T* to) {
  const T* const begin = typed<T>(from) + (first - from.first) * from.output_stride;
  const bool by_input = from.input_stride > from.output_stride;  // read along memory
  const uint64_t outer = by_input ? inputs : count, inner = by_input ? count : inputs;
  const uint64_t outer_stride = by_input ? from.input_stride : from.output_stride;
  const uint64_t inner_stride = by_input ? from.output_stride : from.input_stride;
  const uint64_t to_outer = by_input ? 1 : inputs, to_inner = by_input ? inputs : 1;
  for (uint64_t i = 0; i < outer; ++i) {
    const T* const source = begin + i * outer_stride;
    T* const target = to + i * to_outer;
    for (uint64_t j = 0; j < inner; ++j) target[j * to_inner] = source[j * inner_stride];
  }
}

// The levels of up to one block of outputs, with what belongs to them.
struct Columns {
  explicit Columns(uint64_t inputs) : levels(kBlock * inputs) {}
  std::vector<int8_t> levels;  // [count][inputs]
  std::vector<float> row;      // [count][inputs] f32, when that is what arrives
  float scale[kBlock] = {};
  float full_scale[kBlock] = {};
};

void check_row(const float* row, uint64_t inputs, uint64_t output) {
  const uint64_t bad = first_not_finite(row, inputs);
  if (bad == inputs) return;
  fail(SIDRA_STATUS_INVALID_ARGUMENT, "weight: value ", row[bad], " of output ", output, ", input ",
       bad, " is not finite: no cell can hold it");
}

void check_row(const int8_t* row, uint64_t inputs, uint64_t output) {
  const auto* const bad = static_cast<const int8_t*>(std::memchr(row, 0x80, inputs));
  if (bad == nullptr) return;
  fail(SIDRA_STATUS_INVALID_ARGUMENT, "weight: level -128 of output ", output, ", input ",
       bad - row, " is outside -127 to 127");
}

void check_scale(float scale, uint64_t output) {
  if (std::isfinite(scale)) return;
  fail(SIDRA_STATUS_INVALID_ARGUMENT, "weight: scale ", scale, " of output ", output,
       " is not finite");
}

void check_full_scale(float full_scale, float adc_limit, uint64_t output) {
  if (std::isnormal(full_scale) && full_scale > 0 && std::isfinite(adc_limit / full_scale)) return;
  fail(SIDRA_STATUS_INVALID_ARGUMENT, "weight: full scale ", full_scale, " of output ", output,
       " is not a positive range");
}

// Reads outputs [first, first + count), at most one block, and finds their levels and scales.
void read_columns(const Weight& weight, const WeightValues& from, uint64_t first, uint64_t count,
                  const ChipSpec& spec, Columns& columns) {
  const uint64_t inputs = weight.inputs;
  const bool quantise = weight.type == SIDRA_VALUE_F32;
  if (quantise) {
    columns.row.resize(kBlock * inputs);
    gather(from, first, count, inputs, columns.row.data());
  } else {
    gather(from, first, count, inputs, columns.levels.data());
  }
  for (uint64_t i = 0; i < count; ++i) {
    int8_t* const levels = columns.levels.data() + i * inputs;
    const float* const row = columns.row.data() + i * inputs;
    if (quantise) {
      check_row(row, inputs, first + i);
      columns.scale[i] = weight_scale(row, inputs, spec.weight_limit());
      quantize_levels(row, inputs, columns.scale[i], spec.weight_limit(), levels);
    } else {
      check_row(levels, inputs, first + i);
      columns.scale[i] = from.scales[first + i - from.first];
      check_scale(columns.scale[i], first + i);
    }
    if (spec.adc_bits == 0) continue;
    if (from.full_scales == nullptr) {
      columns.full_scale[i] = full_scale(spec, levels, inputs);
    } else {
      columns.full_scale[i] = from.full_scales[first + i - from.first];
      check_full_scale(columns.full_scale[i], static_cast<float>(spec.adc_limit()), first + i);
    }
  }
}

void write_columns(Weight& weight, const Columns& columns, uint64_t first, uint64_t count,
                   const ChipSpec& spec) {
  const auto limit = static_cast<float>(spec.adc_limit());
  for (uint64_t i = 0; i < count; ++i) {
    const float full_scale = columns.full_scale[i];
    weight.inverse_delta[first + i] = spec.adc_bits == 0 ? 0 : limit / full_scale;
    weight.gain[first + i] =
        spec.adc_bits == 0 ? columns.scale[i] : (full_scale / limit) * columns.scale[i];
  }
  kernels::mvm_pack(columns.levels.data(), first, count, weight.inputs, weight.outputs,
                    spec.crossbar_rows, weight.levels.data(), weight.column_sums.data());
}

// Calls body(first, count) in parallel for runs of outputs that share no packed block.
template <typename Body>
void for_each_block(const Weight& weight, const WeightValues& values, const Host& host,
                    const Body& body) {
  const uint64_t end = values.first + values.count;
  const uint64_t first_block = values.first / kBlock;
  const uint64_t blocks = (end + kBlock - 1) / kBlock - first_block;
  const uint64_t grain = 1 + (uint64_t{1} << 17) / (kBlock * weight.inputs);
  host.parallel_for(blocks, grain, [&](uint64_t block_begin, uint64_t block_end) {
    for (uint64_t block = block_begin; block < block_end; ++block) {
      const uint64_t first = std::max(values.first, (first_block + block) * kBlock);
      const uint64_t last = std::min(end, (first_block + block + 1) * kBlock);
      body(first, last - first);
    }
  });
}

bool differs(int8_t a, int8_t b) { return a != b; }
// By their bits: an exact chip may hold NaN.
bool differs(float a, float b) { return std::bit_cast<uint32_t>(a) != std::bit_cast<uint32_t>(b); }

// Counts cells that differ, and for each tile the columns with one.
class Difference {
 public:
  Difference(const Placement& placement, const ChipSpec& spec)
      : spec_(spec),
        column_tiles_(placement.column_tiles),
        columns_(placement.row_tiles * placement.column_tiles) {}

  template <typename T>
  void add(uint64_t output, const T* before, const T* after, uint64_t inputs) {
    for (uint64_t begin = 0; begin < inputs; begin += spec_.crossbar_rows) {
      const uint64_t end = std::min(inputs, begin + spec_.crossbar_rows);
      uint64_t changed = 0;
      for (uint64_t i = begin; i < end; ++i) changed += differs(before[i], after[i]) ? 1 : 0;
      if (changed == 0) continue;
      cells_ += changed;
      columns_[begin / spec_.crossbar_rows * column_tiles_ + output / spec_.crossbar_columns]++;
    }
  }

  Written written() const { return {cells_, {columns_.begin(), columns_.end()}}; }

 private:
  const ChipSpec& spec_;
  const uint64_t column_tiles_;
  std::atomic<uint64_t> cells_{0};
  std::vector<std::atomic<uint64_t>> columns_;
};

// An exact chip's cells hold the values themselves.
void write_exact(Weight& weight, const WeightValues& values, const Host& host,
                 Difference* difference) {
  const uint64_t inputs = weight.inputs;
  for_each_block(weight, values, host, [&](uint64_t first, uint64_t count) {
    std::vector<float> rows(count * inputs);
    if (weight.type == SIDRA_VALUE_F32) {
      gather(values, first, count, inputs, rows.data());
    } else {
      std::vector<int8_t> levels(count * inputs);
      gather(values, first, count, inputs, levels.data());
      for (uint64_t i = 0; i < rows.size(); ++i) {
        const float scale = values.scales[first + i / inputs - values.first];
        rows[i] = static_cast<float>(levels[i]) * scale;
      }
    }
    for (uint64_t i = 0; i < count && difference != nullptr; ++i) {
      const float* const before = weight.values.data() + (first + i) * inputs;
      difference->add(first + i, before, rows.data() + i * inputs, inputs);
    }
    std::copy(rows.begin(), rows.end(), weight.values.data() + first * inputs);
  });
}

void write_analog(Weight& weight, const WeightValues& values, const ChipSpec& spec,
                  const Host& host, Difference* difference) {
  const uint64_t inputs = weight.inputs;
  for_each_block(weight, values, host, [&](uint64_t first, uint64_t count) {
    Columns columns(inputs);
    read_columns(weight, values, first, count, spec, columns);
    if (difference != nullptr) {
      std::vector<int8_t> before(count * inputs);
      kernels::mvm_unpack(weight.levels.data(), first, count, inputs, before.data());
      for (uint64_t i = 0; i < count; ++i) {
        difference->add(first + i, before.data() + i * inputs, columns.levels.data() + i * inputs,
                        inputs);
      }
    }
    write_columns(weight, columns, first, count, spec);
  });
}

}  // namespace

void reserve_levels(Weight& weight, const ChipSpec& spec) {
  if (spec.exact) {
    weight.values = AlignedArray<float>(weight.outputs * weight.inputs);
    return;
  }
  const uint64_t columns = padded(weight.outputs);
  weight.levels = AlignedArray<int8_t>(kernels::mvm_packed_bytes(weight.inputs, weight.outputs));
  weight.column_sums = AlignedArray<int32_t>(weight.placement.row_tiles * columns);
  weight.inverse_delta = AlignedArray<float>(columns);
  weight.gain = AlignedArray<float>(columns);
}

void program_weight(Weight& weight, const WeightValues& values, const ChipSpec& spec,
                    const Host& host) {
  const std::unique_lock lock(weight.content);
  if (spec.exact) {
    write_exact(weight, values, host, nullptr);
  } else {
    write_analog(weight, values, spec, host, nullptr);
  }
  weight.programmed = true;
  weight.cells_written += weight.outputs * weight.inputs;
}

Written update_weight(Weight& weight, const WeightValues& values, const ChipSpec& spec,
                      const Host& host) {
  const std::unique_lock lock(weight.content);
  if (!weight.programmed) {
    fail(SIDRA_STATUS_PROGRAMMING_FAILED, "weight_update: programming the weight has failed");
  }
  Difference difference(weight.placement, spec);
  if (spec.exact) {
    write_exact(weight, values, host, &difference);
  } else {
    for_each_block(weight, values, host, [&](uint64_t first, uint64_t count) {
      Columns columns(weight.inputs);  // refused before a single cell is written
      read_columns(weight, values, first, count, spec, columns);
    });
    write_analog(weight, values, spec, host, &difference);
  }
  Written written = difference.written();
  weight.cells_written += written.cells;
  return written;
}

}  // namespace sidra::sim
