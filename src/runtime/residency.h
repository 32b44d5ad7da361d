// Residency: which weights sit in crossbars, from when to when.
//
// A weight is programmed at its first use and stays. It is looked up by where its values lie
// (block, offset, shape, strides, type) and by the block's write count:
//   - values written since: only the cells whose level changed are written again;
//   - storage freed: its crossbars are free;
//   - out of crossbars: the least recently used weights make room, or CapacityError, as set.
// A wrong guess costs time, never correctness.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

#include "sidra/driver.h"

namespace sidra::runtime {

enum class Eviction { kLeastRecentlyUsed, kError };
void set_eviction(Eviction eviction);

// One matrix that a tensor holds: the whole of it for a linear layer, a block of groups for a
// convolution.
struct WeightSource {
  const at::Tensor& tensor;  // whose storage holds the values
  uint64_t part;             // which matrix of it
  // Reads the matrix off: f32 [outputs][inputs] in device memory, any strides.
  std::function<at::Tensor()> matrix;
};

class Resident;
// Keeps the weight in its crossbars while it is in use.
using ResidentPointer = std::shared_ptr<Resident>;

// The programmed weight. Raises ValueError (values that no cell can hold), CapacityError.
ResidentPointer make_resident(const WeightSource& source);
const sidra_weight* weight_handle(const Resident& resident);

struct ResidencyEntry {
  c10::DeviceIndex device;
  std::vector<int64_t> shape;  // of the tensor
  uint64_t part;
  sidra_weight_info info;
  uint64_t uses;
};
std::vector<ResidencyEntry> residency_entries();
void residency_clear();  // frees all crossbars; weights are programmed again at their next use

}  // namespace sidra::runtime
