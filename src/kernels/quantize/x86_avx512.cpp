// The 512-bit rows.
#include "kernels/quantize/kernels.h"
#include "kernels/quantize/x86_quantize.h"
#include "kernels/x86/vector512.h"

namespace sidra::kernels {

void quantize_f32u8_1x16_avx512(const float* x, uint64_t count, uint64_t padded, int32_t limit,
                                double most_squares, uint8_t* codes, float* scale, int32_t* zero) {
  quantize<Vector512>(x, count, padded, limit, most_squares, codes, scale, zero);
}

void quantize_static_f32u8_1x16_avx512(const float* x, uint64_t count, uint64_t padded,
                                       int32_t limit, float scale, int32_t zero, uint8_t* codes) {
  quantize_static<Vector512>(x, count, padded, limit, scale, zero, codes);
}

}  // namespace sidra::kernels
