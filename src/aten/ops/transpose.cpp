#include "aten/ops/transpose.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstring>

namespace sidra::aten {
namespace {

constexpr int64_t kBlock = 16;  // a cache line of values
constexpr int64_t kValuesPerTask = 1 << 15;

using Four = float __attribute__((vector_size(16)));

Four load(const float* p) {
  Four four;
  std::memcpy(&four, p, sizeof four);
  return four;
}

void store(float* p, Four four) { std::memcpy(p, &four, sizeof four); }

// 4 x 4 values.
void transpose_four(const float* from, int64_t from_stride, float* to, int64_t to_stride) {
  const Four a = load(from), b = load(from + from_stride);
  const Four c = load(from + 2 * from_stride), d = load(from + 3 * from_stride);
  const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Four ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Four cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  store(to, __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5));
  store(to + to_stride, __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7));
  store(to + 2 * to_stride, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
  store(to + 3 * to_stride, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
}

// At most kBlock x kBlock values.
void transpose_block(const float* from, int64_t from_stride, int64_t rows, int64_t columns,
                     float* to, int64_t to_stride) {
  const int64_t whole_rows = rows / 4 * 4, whole_columns = columns / 4 * 4;
  for (int64_t column = 0; column < whole_columns; column += 4) {
    for (int64_t row = 0; row < whole_rows; row += 4) {
      transpose_four(from + row * from_stride + column, from_stride, to + column * to_stride + row,
                     to_stride);
    }
  }
  for (int64_t column = 0; column < columns; ++column) {
    const int64_t first = column < whole_columns ? whole_rows : 0;
    for (int64_t row = first; row < rows; ++row) {
      to[column * to_stride + row] = from[row * from_stride + column];
    }
  }
}

}  // namespace

void transpose_matrix(const float* from, int64_t rows, int64_t columns, float* to) {
  const int64_t blocks = (rows + kBlock - 1) / kBlock;
  const int64_t grain = std::max<int64_t>(1, kValuesPerTask / std::max<int64_t>(columns, 1));
  at::parallel_for(
      0, blocks, std::max<int64_t>(1, grain / kBlock), [&](int64_t begin, int64_t end) {
        for (int64_t column = 0; column < columns; column += kBlock) {
          for (int64_t row = begin * kBlock; row < std::min(end * kBlock, rows); row += kBlock) {
            transpose_block(from + row * columns + column, columns, std::min(kBlock, rows - row),
                            std::min(kBlock, columns - column), to + column * rows + row, rows);
          }
        }
      });
}

}  // namespace sidra::aten
