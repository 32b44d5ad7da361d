// Any operator without a chip implementation of its own: PyTorch's CPU kernel, on the operands
// where they lie (HostOperands), counted and accounted.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/native/CPUFallback.h>

namespace sidra::aten {

// What happens when an operator goes to the host because the chip has no place for it.
enum class FallbackMode { kSilent, kWarn, kError };
void set_fallback_mode(FallbackMode mode);
FallbackMode fallback_mode();

// Runs the operator with the CPU kernel of `key`: CPU, SparseCPU, SparseCsrCPU, QuantizedCPU or
// NestedTensorCPU. Raises UnsupportedOperator (also where the CPU has no such kernel), ValueError
// or RuntimeError (operands on different devices, as CUDA words it).
void run_on_host(const c10::OperatorHandle& op, c10::DispatchKey key, torch::jit::Stack* stack);

template <c10::DispatchKey key>
void fallback_to(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  run_on_host(op, key, stack);
}
inline constexpr auto& fallback = fallback_to<c10::DispatchKey::CPU>;

// The same for an unboxed kernel that leaves a case to the CPU:
// `to_fallback<at::_ops::mm>::call(..)`.
template <typename Operator>
using to_fallback = at::native::call_fallback_fn<&fallback, Operator>;

}  // namespace sidra::aten
