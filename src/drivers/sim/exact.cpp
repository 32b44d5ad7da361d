// The product of a chip without converters: float32, what conformance tests of operators run on.
#include <algorithm>

#include "drivers/sim/compute_unit.h"

namespace sidra::sim {
namespace {

constexpr uint64_t kGrain = 1 << 18;  // multiply-adds worth a thread
constexpr uint64_t kLanes = 16;       // partial sums, so that the compiler can use SIMD

float dot(const float* a, const float* b, uint64_t count) {
  float sums[kLanes] = {};
  uint64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (uint64_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  for (uint64_t lane = 0; i + lane < count; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  float sum = 0;
  for (const float partial : sums) sum += partial;
  return sum;
}

void own_product(const Weight& weight, const MvmCall& call, const Host& host) {
  const uint64_t inputs = weight.inputs, outputs = weight.outputs;
  host.parallel_for(call.vectors * outputs, 1 + kGrain / inputs, [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) {
      const uint64_t m = i / outputs, n = i % outputs;
      call.output[m * call.output_stride + n] =
          dot(call.input + m * call.input_stride, weight.values.data() + n * inputs, inputs);
    }
  });
}

void host_product(const Weight& weight, const MvmCall& call, const Host& host) {
  host.matmul({sizeof(sidra_matmul_f32_args), call.input, weight.values.data(), call.output,
               call.vectors, weight.outputs, weight.inputs, call.input_stride, weight.inputs,
               call.output_stride});
}

void add_bias_and_activate(const Weight& weight, const MvmCall& call, const Host& host) {
  const uint64_t outputs = weight.outputs;
  host.parallel_for(call.vectors, 1 + kGrain / outputs, [&](uint64_t begin, uint64_t end) {
    for (uint64_t m = begin; m < end; ++m) {
      float* const row = call.output + m * call.output_stride;
      for (uint64_t n = 0; n < outputs && call.bias != nullptr; ++n) row[n] += call.bias[n];
      for (uint64_t n = 0; n < outputs && call.relu; ++n) row[n] = row[n] < 0 ? 0 : row[n];
    }
  });
}

}  // namespace

void multiply_exact(const Weight& weight, const MvmCall& call, const Host& host) {
  if (host.has_matmul()) {
    host_product(weight, call, host);
  } else {
    own_product(weight, call, host);
  }
  if (call.bias != nullptr || call.relu) add_bias_and_activate(weight, call, host);
}

}  // namespace sidra::sim
