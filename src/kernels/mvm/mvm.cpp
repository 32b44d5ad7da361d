#include "kernels/mvm/mvm.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "kernels/mvm/kernels.h"

namespace sidra::kernels {
namespace {

constexpr MvmKernel kKernels[] = {
#define SIDRA_MVM_KERNEL(isa, vectors, function) {Isa::isa, vectors, #function, function},
#include "kernels/mvm/kernels.inc"
#undef SIDRA_MVM_KERNEL
};

const MvmKernel& selected() {
  static const MvmKernel& kernel = isa_row(mvm_kernels(), selected_isa());
  return kernel;
}

// The bytes of a row group of one block that belong to columns of one request.
struct Span {
  uint64_t block, lane, count;
};

Span next_span(uint64_t column, uint64_t end) {
  const uint64_t lane = column % kMvmBlockColumns;
  return {column / kMvmBlockColumns, lane, std::min(kMvmBlockColumns - lane, end - column)};
}

// Where the rows [4 * group, 4 * group + 4) of a block's first column are.
uint64_t group_offset(uint64_t block, uint64_t group, uint64_t groups) {
  return (block * groups + group) * kMvmBlockColumns * kMvmRowGroup;
}

void sum_tiles(const int8_t* levels, uint64_t rows, uint64_t tile_rows, uint64_t padded_columns,
               int32_t* sums) {
  for (uint64_t begin = 0; begin < rows; begin += tile_rows, sums += padded_columns) {
    const uint64_t end = std::min(begin + tile_rows, rows);
    int32_t sum = 0;
    for (uint64_t row = begin; row < end; ++row) sum += levels[row];
    *sums = sum;
  }
}

// Zero levels and sums behind the last column, up to the end of its block.
void clear_padding(uint64_t columns, uint64_t rows, uint64_t tile_rows, int8_t* packed,
                   int32_t* column_sums) {
  const uint64_t padded_columns = mvm_column_blocks(columns) * kMvmBlockColumns;
  const uint64_t groups = mvm_padded_rows(rows) / kMvmRowGroup;
  const uint64_t padding = padded_columns - columns;
  const uint64_t lane = kMvmBlockColumns - padding;
  for (uint64_t group = 0; group < groups; ++group) {
    int8_t* to = packed + group_offset(mvm_column_blocks(columns) - 1, group, groups);
    std::memset(to + lane * kMvmRowGroup, 0, padding * kMvmRowGroup);
  }
  for (uint64_t begin = 0; begin < rows; begin += tile_rows, column_sums += padded_columns) {
    std::fill_n(column_sums + columns, padding, 0);
  }
}

}  // namespace

std::span<const MvmKernel> mvm_kernels() { return kKernels; }

uint64_t mvm_packed_bytes(uint64_t rows, uint64_t columns) {
  return mvm_padded_rows(rows) * mvm_column_blocks(columns) * kMvmBlockColumns;
}

void mvm_pack(const int8_t* levels, uint64_t first, uint64_t count, uint64_t rows, uint64_t columns,
              uint64_t tile_rows, int8_t* packed, int32_t* column_sums) {
  assert(first + count <= columns && tile_rows > 0 && tile_rows % kMvmRowGroup == 0);
  const uint64_t padded_columns = mvm_column_blocks(columns) * kMvmBlockColumns;
  const uint64_t groups = mvm_padded_rows(rows) / kMvmRowGroup;
  for (uint64_t done = 0; done < count;) {
    const Span span = next_span(first + done, first + count);
    for (uint64_t group = 0; group < groups; ++group) {
      const uint64_t row = group * kMvmRowGroup;
      const uint64_t present = std::min(kMvmRowGroup, rows - row);
      int8_t* to = packed + group_offset(span.block, group, groups) + span.lane * kMvmRowGroup;
      for (uint64_t i = 0; i < span.count; ++i, to += kMvmRowGroup) {
        int8_t four[kMvmRowGroup] = {};
        std::memcpy(four, levels + (done + i) * rows + row, present);
        std::memcpy(to, four, kMvmRowGroup);
      }
    }
    done += span.count;
  }
  for (uint64_t i = 0; i < count; ++i) {
    sum_tiles(levels + i * rows, rows, tile_rows, padded_columns, column_sums + first + i);
  }
  if (count > 0 && first + count == columns) {
    clear_padding(columns, rows, tile_rows, packed, column_sums);
  }
}

void mvm_unpack(const int8_t* packed, uint64_t first, uint64_t count, uint64_t rows,
                int8_t* levels) {
  const uint64_t groups = mvm_padded_rows(rows) / kMvmRowGroup;
  for (uint64_t done = 0; done < count;) {
    const Span span = next_span(first + done, first + count);
    for (uint64_t group = 0; group < groups; ++group) {
      const uint64_t row = group * kMvmRowGroup;
      const uint64_t present = std::min(kMvmRowGroup, rows - row);
      const int8_t* from =
          packed + group_offset(span.block, group, groups) + span.lane * kMvmRowGroup;
      for (uint64_t i = 0; i < span.count; ++i, from += kMvmRowGroup) {
        std::memcpy(levels + (done + i) * rows + row, from, present);
      }
    }
    done += span.count;
  }
}

MvmFunction mvm_function() { return selected().function; }
const char* mvm_name() { return selected().name; }

}  // namespace sidra::kernels
