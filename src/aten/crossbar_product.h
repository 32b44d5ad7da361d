// Products of activations with weights that sit in crossbars.
#pragma once

#include <ATen/core/Tensor.h>

#include "runtime/ledger.h"
#include "runtime/residency.h"

namespace sidra::aten {

// Whether a tensor is a weight: a parameter, buffer or copied input, not the result of an operator.
// Decided by what filled its memory, so views, transposes and `.data` of a weight are weights; a
// parameter that requires gradients is one however it was made.
bool is_weight(const at::Tensor& tensor);

// Whether crossbars may compute with this weight just now: there are crossbars, the type has a
// converter path (float32, float16, bfloat16), and the product is not part of a gradient formula
// (gradients are exact).
bool crossbars_apply(const at::Tensor& weight);

struct BlockOfVectors {
  at::Tensor tensor;  // keeps the memory
  uint64_t address;   // of the first value, f32
  uint64_t stride;    // elements between vectors
};

// Rows of a matrix as the driver takes them: float32, values of a row side by side.
BlockOfVectors input_vectors(const at::Tensor& matrix);

struct MvmCall {
  uint64_t vectors;
  uint64_t input, input_stride;
  uint64_t output, output_stride;
  uint64_t bias;  // address, or 0
  sidra_activation activation = SIDRA_ACTIVATION_NONE;
};

// Submits one command on the device's current stream, and books it on `line`.
void submit_mvm(c10::DeviceIndex device, const runtime::WeightSource& weight, const MvmCall& call,
                runtime::LedgerLine* line);

// input [vectors][inputs] times weight [outputs][inputs], plus bias [outputs]; in input's type.
// `weight` is the tensor whose storage holds the values; `matrix` the view of it as
// [outputs][inputs].
at::Tensor crossbar_product(const at::Tensor& input, const at::Tensor& matrix,
                            const std::optional<at::Tensor>& bias, runtime::LedgerLine* line);

}  // namespace sidra::aten
