#include "aten/ops/grouped_weight.h"

#include <ATen/ops/zeros.h>

#include <algorithm>

#include "runtime/device.h"

namespace sidra::aten {
namespace {

uint64_t address(const at::Tensor& tensor) {
  return reinterpret_cast<uint64_t>(tensor.const_data_ptr());
}

at::Tensor block_matrix(const GroupBlocks& blocks, int64_t first, int64_t groups,
                        const std::function<at::Tensor(int64_t)>& per_group) {
  if (groups == 1) return per_group(first);
  const at::Tensor some = per_group(first);
  const at::Tensor matrix =
      at::zeros({groups * blocks.outputs, groups * blocks.inputs}, some.options());
  for (int64_t i = 0; i < groups; ++i) {
    matrix.narrow(0, i * blocks.outputs, blocks.outputs)
        .narrow(1, i * blocks.inputs, blocks.inputs)
        .copy_(per_group(first + i));
  }
  return matrix;
}

}  // namespace

GroupBlocks group_blocks(c10::DeviceIndex device, bool transposed, int64_t groups, int64_t inputs,
                         int64_t outputs) {
  const sidra_device_properties& chip = runtime::device_properties(device);
  const int64_t by_rows = static_cast<int64_t>(chip.crossbar_rows) / inputs;
  const int64_t by_columns = static_cast<int64_t>(chip.crossbar_columns) / outputs;
  return {transposed, groups, inputs, outputs,
          std::clamp<int64_t>(std::min(by_rows, by_columns), 1, groups)};
}

void multiply_groups(const GroupBlocks& blocks, const at::Tensor& weight,
                     const std::function<at::Tensor(int64_t)>& per_group,
                     const BlockOfVectors& vectors, int64_t count, const at::Tensor& output,
                     const at::Tensor& bias, runtime::LedgerLine* line) {
  for (int64_t block = 0; block < blocks.count(); ++block) {
    const int64_t first = block * blocks.groups_per_block;
    const int64_t groups = std::min(blocks.groups_per_block, blocks.groups - first);
    const runtime::WeightSource source{
        weight, blocks.part(block), [&] { return block_matrix(blocks, first, groups, per_group); }};
    const auto bytes = [](int64_t values) { return static_cast<uint64_t>(values) * sizeof(float); };
    MvmCall call{};
    call.vectors = static_cast<uint64_t>(count);
    call.input = vectors.address + bytes(first * blocks.inputs);
    call.input_stride = vectors.stride;
    call.output = address(output) + bytes(first * blocks.outputs);
    call.output_stride = static_cast<uint64_t>(output.stride(0));
    call.bias = bias.defined() ? address(bias) + bytes(first * blocks.outputs) : 0;
    submit_mvm(output.device().index(), source, call, line);
  }
}

}  // namespace sidra::aten
