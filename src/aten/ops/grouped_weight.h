// A convolution's weight as the matrices that crossbars hold.
#pragma once

#include <ATen/core/Tensor.h>

#include "aten/crossbar_product.h"

namespace sidra::aten {

// Groups [first, first + groups) of a weight as one matrix [groups * outputs][groups * inputs],
// block-diagonal when there are several. Matrix and vectors are cut at the same groups.
struct GroupBlocks {
  bool transposed;
  int64_t groups;            // of the convolution
  int64_t inputs, outputs;   // of the matrix of one group
  int64_t groups_per_block;  // as many as fit a crossbar

  // Which matrix of its weight a block is: the same weight may serve several convolutions.
  uint64_t part(int64_t block) const {
    return static_cast<uint64_t>(block) << 32 | static_cast<uint64_t>(groups) << 1 |
           (transposed ? 1 : 0);
  }
  int64_t count() const { return (groups + groups_per_block - 1) / groups_per_block; }
};

GroupBlocks group_blocks(c10::DeviceIndex device, bool transposed, int64_t groups, int64_t inputs,
                         int64_t outputs);

// vectors [count][groups * inputs] times the weight, plus bias: output [count][groups * outputs],
// contiguous f32 tensors. `per_group` gives the matrix of one group, [outputs][inputs] f32.
void multiply_groups(const GroupBlocks& blocks, const at::Tensor& weight,
                     const std::function<at::Tensor(int64_t group)>& per_group,
                     const BlockOfVectors& vectors, int64_t count, const at::Tensor& output,
                     const at::Tensor& bias, runtime::LedgerLine* line);

}  // namespace sidra::aten
