#include "drivers/sim/compute_unit.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "drivers/abi/error.h"
#include "drivers/sim/aligned.h"
#include "kernels/mvm/mvm.h"
#include "kernels/quantize/quantize.h"

namespace sidra::sim {
namespace {

constexpr uint64_t kScratchBytes = 4 << 20;  // codes of one pass; more vectors take more passes
constexpr uint64_t kVectorGroup = 12;        // vectors a thread takes at least: microkernels take
                                             // 3, 4 or 6 at a time

// Work of about 50 us on one core: less is not worth a thread.
constexpr uint64_t kQuantizeGrain = 1 << 17;   // input values
constexpr uint64_t kMultiplyGrain = 10 << 20;  // multiply-accumulates in cache
constexpr uint64_t kStreamGrain = 3 << 20;     // levels from memory

// Codes, scales and zeros of the vectors of one pass. One a thread, kept between calls.
struct Codes {
  void reserve(uint64_t vectors, uint64_t padded_inputs) {
    // Whole cache lines, so that two threads never write one.
    stride = (padded_inputs + 63) / 64 * 64;
    if (codes.size() < vectors * stride) codes = AlignedArray<uint8_t>(vectors * stride);
    if (scale.size() < vectors) scale.resize(vectors);
    if (zero.size() < vectors) zero.resize(vectors);
  }
  void shrink() {
    if (codes.size() > kScratchBytes) codes = {};
  }

  AlignedArray<uint8_t> codes;
  std::vector<float> scale;
  std::vector<int32_t> zero;
  uint64_t stride = 0;
};

uint64_t vectors_per_pass(uint64_t vectors, uint64_t padded_inputs) {
  const uint64_t most = std::max(kVectorGroup, kScratchBytes / (padded_inputs + 63));
  const uint64_t passes = (vectors + most - 1) / most;
  const uint64_t even = (vectors + passes - 1) / passes;
  return std::min(most, (even + kVectorGroup - 1) / kVectorGroup * kVectorGroup);
}

void quantize(const MvmCall& call, uint64_t first, uint64_t vectors, uint64_t inputs,
              const ChipSpec& spec, const Host& host, Codes& codes) {
  const int32_t limit = spec.input_limit();
  constexpr double kAnySquares = std::numeric_limits<double>::infinity();
  const double most_squares = spec.adc_bits == 0 ? kAnySquares : spec.most_input_squares(inputs);
  const uint64_t padded = kernels::mvm_padded_rows(inputs);
  const auto dynamic = kernels::quantize_function();
  const auto fixed = kernels::quantize_static_function();
  host.parallel_for(vectors, 1 + kQuantizeGrain / inputs, [&](uint64_t begin, uint64_t end) {
    for (uint64_t m = begin; m < end; ++m) {
      const float* const x = call.input + (first + m) * call.input_stride;
      uint8_t* const to = codes.codes.data() + m * codes.stride;
      if (call.dynamic_range) {
        dynamic(x, inputs, padded, limit, most_squares, to, &codes.scale[m], &codes.zero[m]);
      } else {
        fixed(x, inputs, padded, limit, call.input_scale, call.input_zero, to);
        codes.scale[m] = call.input_scale;
        codes.zero[m] = call.input_zero;
      }
    }
  });
}

// All column blocks of all vectors, as a line of units (block, group of vectors) that threads cut
// anywhere: few columns and many vectors are divided as well as the reverse.
class Grid {
 public:
  Grid(const kernels::MvmWeights& weights, const kernels::MvmInputs& inputs,
       const kernels::MvmOutputs& outputs)
      : weights_(weights),
        inputs_(inputs),
        outputs_(outputs),
        groups_((inputs.vectors + kVectorGroup - 1) / kVectorGroup) {}

  uint64_t units() const { return kernels::mvm_column_blocks(weights_.columns) * groups_; }

  // Units worth a thread: their arithmetic, and their block's levels, read once a row of groups.
  uint64_t grain() const {
    const uint64_t levels = weights_.rows * kernels::kMvmBlockColumns;
    const uint64_t vectors = std::min(inputs_.vectors, kVectorGroup);
    const double share = static_cast<double>(levels * vectors) / kMultiplyGrain +
                         static_cast<double>(levels) / static_cast<double>(groups_) / kStreamGrain;
    return std::max<uint64_t>(1, static_cast<uint64_t>(1 / share));
  }

  // Units [begin, end): the rest of a first block, whole blocks, the start of a last one.
  void run(uint64_t begin, uint64_t end) const {
    while (begin < end) {
      const uint64_t block = begin / groups_, group = begin % groups_;
      if (group == 0 && end - begin >= groups_) {
        const uint64_t last = end / groups_;
        run_groups(block, last, 0, groups_);
        begin = last * groups_;
      } else {
        const uint64_t stop = std::min(groups_, group + (end - begin));
        run_groups(block, block + 1, group, stop);
        begin += stop - group;
      }
    }
  }

 private:
  void run_groups(uint64_t block, uint64_t block_end, uint64_t group, uint64_t group_end) const {
    const uint64_t first = group * kVectorGroup;
    kernels::MvmInputs inputs = inputs_;
    inputs.codes += first * inputs.stride;
    inputs.zero += first;
    inputs.scale += first;
    inputs.vectors = std::min(inputs_.vectors, group_end * kVectorGroup) - first;
    kernels::MvmOutputs outputs = outputs_;
    outputs.values += first * outputs.stride;
    function_(weights_, inputs, outputs, block, block_end);
  }

  const kernels::MvmWeights& weights_;
  const kernels::MvmInputs& inputs_;
  const kernels::MvmOutputs& outputs_;
  const uint64_t groups_;
  const kernels::MvmFunction function_ = kernels::mvm_function();
};

kernels::MvmWeights kernel_weights(const Weight& weight, const ChipSpec& spec) {
  return {weight.levels.data(),
          weight.column_sums.data(),
          weight.inverse_delta.data(),
          weight.gain.data(),
          weight.inputs,
          weight.outputs,
          spec.crossbar_rows,
          static_cast<float>(spec.adc_limit())};
}

}  // namespace

void multiply(const Weight& weight, const MvmCall& call, const ChipSpec& spec, const Host& host) {
  const std::shared_lock lock(weight.content);
  if (!weight.programmed) {
    fail(SIDRA_STATUS_PROGRAMMING_FAILED, "mvm: programming the weight has failed");
  }
  if (spec.exact) return multiply_exact(weight, call, host);
  thread_local Codes codes;
  const kernels::MvmWeights weights = kernel_weights(weight, spec);
  const uint64_t padded = kernels::mvm_padded_rows(weight.inputs);
  const uint64_t step = vectors_per_pass(call.vectors, padded);
  for (uint64_t first = 0; first < call.vectors; first += step) {
    const uint64_t vectors = std::min(step, call.vectors - first);
    codes.reserve(vectors, padded);
    quantize(call, first, vectors, weight.inputs, spec, host, codes);
    const kernels::MvmInputs inputs{codes.codes.data(), codes.stride, codes.zero.data(),
                                    codes.scale.data(), vectors};
    const kernels::MvmOutputs outputs{call.output + first * call.output_stride, call.output_stride,
                                      call.bias, call.relu};
    const Grid grid(weights, inputs, outputs);
    host.parallel_for(grid.units(), grid.grain(),
                      [&](uint64_t begin, uint64_t end) { grid.run(begin, end); });
  }
  codes.shrink();
}

}  // namespace sidra::sim
