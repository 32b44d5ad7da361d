// Chip time and energy of operators that no crossbar runs, told to the driver and the ledger.
#pragma once

#include <ATen/core/Tensor.h>

#include "aten/operator_info.h"

namespace sidra::aten {

struct Work {
  uint64_t bytes_read = 0, bytes_written = 0;
  uint64_t elements = 0;          // of the largest operand or result
  uint64_t bytes_copied = 0;      // to and from a host that could not work in place
  uint64_t multiply_adds = 0;     // products only
  uint64_t softmax_elements = 0;  // attention only
};

void account(const OperatorInfo& info, c10::Device device, const Work& work);

}  // namespace sidra::aten
