// What the fallback has to know about an operator, worked out once from its schema.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <atomic>
#include <vector>

#include "aten/placement.h"
#include "runtime/ledger.h"

namespace sidra::aten {

struct OperatorInfo {
  std::string name;  // "aten::add"
  Placement placement;
  runtime::LedgerLine* line;
  size_t arguments, returns;
  std::vector<bool> written;           // per argument: the operator writes it
  std::vector<int> returned_argument;  // per return: which of the written arguments, or -1
  int generator_argument;              // index, or -1
  bool takes_host_operands;  // CPU index or length tensors are legal beside device tensors
  bool asks_for_gradients;   // its kernel does more work for operands that require gradients
  bool takes_other_devices;  // makes a tensor like its operand, on the device it is asked for
  mutable std::atomic<bool> warned{false};
};

// Lives for ever; looked up in a table of the calling thread.
const OperatorInfo& operator_info(const c10::OperatorHandle& op);

}  // namespace sidra::aten
