// Transposition of a matrix in host memory: between pixels that lie side by side and channels that
// do.
#pragma once

#include <cstdint>

namespace sidra::aten {

// to [columns][rows] <- from [rows][columns], both contiguous and apart from one another.
void transpose_matrix(const float* from, int64_t rows, int64_t columns, float* to);

}  // namespace sidra::aten
