// Chip time and energy of operators that no crossbar runs, told to the driver and the ledger.
#pragma once

#include <ATen/core/Tensor.h>

#include "aten/operator_info.h"

namespace sidra::aten {

struct Work {
  uint64_t bytes_read, bytes_written;
  uint64_t elements;          // of the largest operand or result
  uint64_t multiply_adds;     // products only
  uint64_t softmax_elements;  // attention only
};

void account(const OperatorInfo& info, c10::Device device, const Work& work);

}  // namespace sidra::aten
