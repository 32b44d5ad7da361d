#include "kernels/quantize/quantize.h"

#include "kernels/quantize/kernels.h"

namespace sidra::kernels {
namespace {

constexpr QuantizeKernel kKernels[] = {
#define SIDRA_QUANTIZE_KERNEL(isa, columns, function, static_function) \
  {Isa::isa, columns, #function, function, static_function},
#include "kernels/quantize/kernels.inc"
#undef SIDRA_QUANTIZE_KERNEL
};

const QuantizeKernel& selected() {
  static const QuantizeKernel& kernel = isa_row(quantize_kernels(), selected_isa());
  return kernel;
}

}  // namespace

std::span<const QuantizeKernel> quantize_kernels() { return kKernels; }

QuantizeFunction quantize_function() { return selected().function; }
QuantizeStaticFunction quantize_static_function() { return selected().static_function; }
const char* quantize_name() { return selected().name; }

}  // namespace sidra::kernels
