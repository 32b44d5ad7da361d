#include "drivers/sim/programming.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>

#include "drivers/abi/error.h"
#include "kernels/mvm/mvm.h"

namespace sidra::sim {
namespace {

constexpr uint64_t kGrain = 1 << 15;  // values worth a thread

uint64_t padded(uint64_t outputs) { return kernels::mvm_column_blocks(outputs) * kBlock; }

void write_columns(Weight& weight, const Columns& columns, uint64_t first, uint64_t count,
                   const ChipSpec& spec) {
  const auto limit = static_cast<float>(spec.adc_limit());
  for (uint64_t i = 0; i < count; ++i) {
    const float full_scale = columns.full_scale(i), scale = columns.scale(i);
    weight.inverse_delta[first + i] = spec.adc_bits == 0 ? 0 : limit / full_scale;
    weight.gain[first + i] = spec.adc_bits == 0 ? scale : (full_scale / limit) * scale;
  }
  kernels::mvm_pack(columns.levels(), first, count, weight.inputs, weight.outputs,
                    spec.crossbar_rows, weight.levels.data(), weight.column_sums.data());
}

// Calls body(columns, first, count) in parallel for runs of outputs that share no packed block;
// `columns` is the thread's own reader of the values.
template <typename Body>
void for_each_block(const Weight& weight, const WeightValues& values, const ChipSpec& spec,
                    const Host& host, const Body& body) {
  const uint64_t end = values.first + values.count;
  const uint64_t first_block = values.first / kBlock;
  const uint64_t blocks = (end + kBlock - 1) / kBlock - first_block;
  const uint64_t grain = 1 + kGrain / (kBlock * weight.inputs);
  host.parallel_for(blocks, grain, [&](uint64_t block_begin, uint64_t block_end) {
    Columns columns(weight, values, spec);
    for (uint64_t block = block_begin; block < block_end; ++block) {
      const uint64_t first = std::max(values.first, (first_block + block) * kBlock);
      const uint64_t last = std::min(end, (first_block + block + 1) * kBlock);
      body(columns, first, last - first);
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

  // Outputs [first, first + count): [count][inputs] before and after.
  template <typename T>
  void add(uint64_t first, uint64_t count, const T* before, const T* after, uint64_t inputs) {
    for (uint64_t i = 0; i < count; ++i) {
      add_output(first + i, before + i * inputs, after + i * inputs, inputs);
    }
  }

  Written written() const { return {cells_, {columns_.begin(), columns_.end()}}; }

 private:
  template <typename T>
  void add_output(uint64_t output, const T* before, const T* after, uint64_t inputs) {
    for (uint64_t begin = 0; begin < inputs; begin += spec_.crossbar_rows) {
      const uint64_t end = std::min(inputs, begin + spec_.crossbar_rows);
      uint64_t changed = 0;
      for (uint64_t i = begin; i < end; ++i) changed += differs(before[i], after[i]) ? 1 : 0;
      if (changed == 0) continue;
      cells_ += changed;
      columns_[begin / spec_.crossbar_rows * column_tiles_ + output / spec_.crossbar_columns]++;
    }
  }

  const ChipSpec& spec_;
  const uint64_t column_tiles_;
  std::atomic<uint64_t> cells_{0};
  std::vector<std::atomic<uint64_t>> columns_;
};

// An exact chip's cells hold the values themselves.
void write_exact(Weight& weight, const WeightValues& values, const ChipSpec& spec, const Host& host,
                 Difference* difference) {
  const uint64_t inputs = weight.inputs;
  for_each_block(weight, values, spec, host, [&](Columns& columns, uint64_t first, uint64_t count) {
    float* const cells = weight.values.data() + first * inputs;
    if (difference == nullptr) return columns.read_exact(first, count, cells);
    std::vector<float> rows(count * inputs);
    columns.read_exact(first, count, rows.data());
    difference->add(first, count, cells, rows.data(), inputs);
    std::copy(rows.begin(), rows.end(), cells);
  });
}

void write_analog(Weight& weight, const WeightValues& values, const ChipSpec& spec,
                  const Host& host, Difference* difference) {
  const uint64_t inputs = weight.inputs;
  for_each_block(weight, values, spec, host, [&](Columns& columns, uint64_t first, uint64_t count) {
    columns.read(first, count);
    if (difference != nullptr) {
      std::vector<int8_t> before(count * inputs);
      kernels::mvm_unpack(weight.levels.data(), first, count, inputs, before.data());
      difference->add(first, count, before.data(), columns.levels(), inputs);
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
    write_exact(weight, values, spec, host, nullptr);
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
    write_exact(weight, values, spec, host, &difference);
  } else {
    // What is refused is refused before a single cell is written.
    for_each_block(
        weight, values, spec, host,
        [](Columns& columns, uint64_t first, uint64_t count) { columns.check(first, count); });
    write_analog(weight, values, spec, host, &difference);
  }
  Written written = difference.written();
  weight.cells_written += written.cells;
  return written;
}

}  // namespace sidra::sim
