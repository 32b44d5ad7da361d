// The product of a chip without converters: float32, what conformance tests of operators run on.
#include <algorithm>

#include "drivers/sim/compute_unit.h"

namespace sidra::sim {
namespace {

constexpr uint64_t kGrain = 1 << 18;  // multiply-adds worth a thread
constexpr uint64_t kLanes = 8;        // partial sums, so that the compiler can use SIMD
constexpr uint64_t kColumns = 4;      // outputs that share the reads of an input
constexpr uint64_t kVectors = 32;     // vectors that find a block of outputs in cache

// to[j] = a . b[j] for kColumns rows of b, `stride` apart.
void dot_columns(const float* a, const float* b, uint64_t stride, uint64_t count, float* to) {
  float sums[kColumns][kLanes] = {};
  uint64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (uint64_t j = 0; j < kColumns; ++j) {
      for (uint64_t lane = 0; lane < kLanes; ++lane) {
        sums[j][lane] += a[i + lane] * b[j * stride + i + lane];
      }
    }
  }
  for (uint64_t j = 0; j < kColumns; ++j) {
    float sum = 0;
    for (const float partial : sums[j]) sum += partial;
    for (uint64_t k = i; k < count; ++k) sum += a[k] * b[j * stride + k];
    to[j] = sum;
  }
}

float dot(const float* a, const float* b, uint64_t count) {
  float sum = 0;
  for (uint64_t k = 0; k < count; ++k) sum += a[k] * b[k];
  return sum;
}

// Outputs of vectors [begin, end).
void product_of(const Weight& weight, const MvmCall& call, uint64_t begin, uint64_t end) {
  const uint64_t inputs = weight.inputs;
  const uint64_t whole = weight.outputs / kColumns * kColumns;
  for (uint64_t n = 0; n < weight.outputs; n += n < whole ? kColumns : 1) {
    const float* const columns = weight.values.data() + n * inputs;
    for (uint64_t m = begin; m < end; ++m) {
      const float* const input = call.input + m * call.input_stride;
      float* const output = call.output + m * call.output_stride + n;
      if (n < whole) {
        dot_columns(input, columns, inputs, inputs, output);
      } else {
        *output = dot(input, columns, inputs);
      }
    }
  }
}

void own_product(const Weight& weight, const MvmCall& call, const Host& host) {
  const uint64_t grain = 1 + kGrain / (weight.inputs * weight.outputs);
  host.parallel_for(call.vectors, grain, [&](uint64_t begin, uint64_t end) {
    for (; begin < end; begin += kVectors) {
      product_of(weight, call, begin, std::min(end, begin + kVectors));
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
