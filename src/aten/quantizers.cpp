#include "aten/quantizers.h"

#include <ATen/quantized/QTensorImpl.h>
#include <ATen/quantized/Quantizer.h>

namespace sidra::aten {
namespace {

at::QTensorImpl& quantized_impl(const at::Tensor& tensor) {
  return static_cast<at::QTensorImpl&>(*tensor.unsafeGetTensorImpl());
}

at::QuantizerPtr moved(const at::PerChannelAffineQuantizer& from, const MoveMember& move) {
  at::Tensor scales = move(from.scales()), zero_points = move(from.zero_points());
  if (from.qscheme() == at::kPerChannelAffineFloatQParams) {
    return c10::make_intrusive<at::PerChannelAffineFloatQParamsQuantizer>(
        from.scalar_type(), std::move(scales), std::move(zero_points), from.axis());
  }
  return c10::make_intrusive<at::PerChannelAffineQuantizer>(from.scalar_type(), std::move(scales),
                                                            std::move(zero_points), from.axis());
}

}  // namespace

void move_quantizer(const at::Tensor& tensor, const MoveMember& move) {
  if (!tensor.is_quantized()) return;
  at::QTensorImpl& impl = quantized_impl(tensor);
  const at::QuantizerPtr quantizer = impl.quantizer();
  const auto* const per_channel =
      dynamic_cast<const at::PerChannelAffineQuantizer*>(quantizer.get());
  if (per_channel != nullptr) impl.set_quantizer_(moved(*per_channel, move));
}

void copy_quantizer(const at::Tensor& from, const at::Tensor& to) {
  if (!from.is_quantized() || !to.is_quantized()) return;
  quantized_impl(to).set_quantizer_(quantized_impl(from).quantizer());
  move_quantizer(to, [&](const at::Tensor& member) { return member.to(to.device()); });
}

}  // namespace sidra::aten
