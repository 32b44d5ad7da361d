// Results of CPU kernels that run in place on device memory must lie in device memory too. While a
// ResultScope is open, CPU allocations of this thread come from the device's allocator.
//
// The context of such memory is the memory itself, as libraries that allocate raw memory demand, so
// its block is found by address: in the scope it was allocated in, or, for what a library keeps
// longer, in a table of the process.
#pragma once

#include <c10/core/Allocator.h>
#include <c10/util/SmallVector.h>

#include "runtime/allocator.h"

namespace sidra::aten {

// Puts itself in front of the process's CPU allocator. A thread without an open scope pays one
// thread-local read per allocation.
void install_result_allocator();

class ResultScope {
 public:
  explicit ResultScope(c10::DeviceIndex device);
  ~ResultScope();
  ResultScope(const ResultScope&) = delete;
  ResultScope& operator=(const ResultScope&) = delete;

  c10::DataPtr allocate(size_t bytes);

  // The block of memory allocated in this scope, no longer owned by it; null for other memory.
  runtime::Block* take(const void* memory);

 private:
  const c10::DeviceIndex device_;
  ResultScope* const outer_;
  c10::SmallVector<runtime::Block*, 8> blocks_;
};

// Turns result memory into ordinary device memory: the same bytes, owned by their block, labelled
// `device`. False, and nothing changed, for memory from elsewhere.
bool claim_result(c10::DataPtr& memory, c10::Device device);

}  // namespace sidra::aten
