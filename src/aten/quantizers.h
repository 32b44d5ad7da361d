// The quantizer of a quantised tensor: when it is per channel it holds tensors of its own, on the
// device of the values.
#pragma once

#include "aten/containers.h"

namespace sidra::aten {

// Gives a tensor that is quantised per channel a quantizer with the moved scales and zero points;
// other tensors are left as they are.
void move_quantizer(const at::Tensor& tensor, const MoveMember& move);

// Makes `to`'s quantizer that of `from`, on `to`'s device; nothing when neither is quantised.
void copy_quantizer(const at::Tensor& from, const at::Tensor& to);

}  // namespace sidra::aten
