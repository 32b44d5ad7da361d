#include "drivers/sim/commands.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "drivers/abi/error.h"
#include "drivers/sim/compute_unit.h"
#include "drivers/sim/device.h"
#include "drivers/sim/handles.h"
#include "drivers/sim/programming.h"

namespace sidra::sim {
namespace {

// Elements from the first to the last of a strided matrix. Throws Error when its bytes overflow.
uint64_t extent(const char* what, uint64_t rows, uint64_t row_stride, uint64_t columns,
                uint64_t column_stride, uint64_t element_bytes) {
  if (rows == 0 || columns == 0) return 0;
  using Wide = unsigned __int128;
  constexpr Wide kMost = uint64_t{1} << 60;  // each term, so that sums and bytes cannot wrap
  const Wide by_row = Wide{rows - 1} * row_stride, by_column = Wide{columns - 1} * column_stride;
  if (by_row >= kMost || by_column >= kMost) {
    fail(SIDRA_STATUS_INVALID_ARGUMENT, what, ": ", rows, " x ", columns, " elements with strides ",
         row_stride, " and ", column_stride, " are more than can be addressed");
  }
  return static_cast<uint64_t>(by_row + by_column + 1) * element_bytes;
}

// The bytes of a float32 or other typed operand on the stream's device.
std::byte* operand(Stream& stream, const char* what, uint64_t address, uint64_t bytes,
                   uint64_t alignment) {
  const Span span = stream.device.memory.find(what, address, bytes);
  if (address % alignment != 0) {
    fail(SIDRA_STATUS_INVALID_ARGUMENT, what, ": ", hex(address), " is not aligned to ", alignment,
         " bytes");
  }
  if (span.device != stream.device.index) {
    fail(SIDRA_STATUS_INVALID_ARGUMENT, what, ": ", hex(address), " lies on device ", span.device,
         ", the stream belongs to device ", stream.device.index);
  }
  return span.host;
}

const float* optional_floats(Stream& stream, const char* what, uint64_t address, uint64_t count) {
  if (address == 0) return nullptr;
  return reinterpret_cast<const float*>(
      operand(stream, what, address, count * sizeof(float), alignof(float)));
}

void check_device(const char* function, const Stream& stream, const Weight& weight) {
  if (&weight.device == &stream.device) return;
  fail(SIDRA_STATUS_INVALID_ARGUMENT, function, ": the weight is on device ", weight.device.index,
       ", the stream belongs to device ", stream.device.index);
}

struct ValueArgs {
  const char* what;
  uint64_t first, count, values, output_stride, input_stride, scales, full_scales;
};

WeightValues weight_values(Stream& stream, const ValueArgs& args, const Weight& weight) {
  const bool levels = weight.type == SIDRA_VALUE_I8;
  const uint64_t element = levels ? 1 : sizeof(float);
  const uint64_t bytes =
      extent(args.what, args.count, args.output_stride, weight.inputs, args.input_stride, element);
  WeightValues values{};
  values.first = args.first;
  values.count = args.count;
  values.values = operand(stream, "weight values", args.values, bytes, element);
  values.output_stride = args.output_stride;
  values.input_stride = args.input_stride;
  if (levels != (args.scales != 0)) {
    fail(SIDRA_STATUS_INVALID_ARGUMENT, args.what, ": ",
         levels ? "I8 values need scales" : "F32 values take no scales");
  }
  values.scales = optional_floats(stream, "weight scales", args.scales, args.count);
  values.full_scales = optional_floats(stream, "weight full_scales", args.full_scales, args.count);
  return values;
}

uint64_t columns_in_one_unit(const Weight& weight, const ChipSpec& spec,
                             const std::vector<uint64_t>& columns) {
  const auto& crossbars = weight.placement.crossbars;
  if (spec.converters_shared())
    return most_in_one_unit(weight.device.crossbars, crossbars, columns);
  return *std::max_element(columns.begin(), columns.end());
}

// Columns of each tile of a whole weight; the last of a row of tiles may be narrower.
std::vector<uint64_t> all_columns(const Weight& weight, const ChipSpec& spec) {
  std::vector<uint64_t> columns(weight.placement.crossbars.size());
  for (uint64_t tile = 0; tile < columns.size(); ++tile) {
    const uint64_t first = tile % weight.placement.column_tiles * spec.crossbar_columns;
    columns[tile] = std::min(spec.crossbar_columns, weight.outputs - first);
  }
  return columns;
}

void check_value_type(sidra_value_type type) {
  if (type == SIDRA_VALUE_F32 || type == SIDRA_VALUE_I8) return;
  fail(SIDRA_STATUS_INVALID_ARGUMENT, "weight_program: no value type ", static_cast<int>(type));
}

void check_range(const ChipSpec& spec, const sidra_mvm_args& args) {
  if (args.activation != SIDRA_ACTIVATION_NONE && args.activation != SIDRA_ACTIVATION_RELU) {
    fail(SIDRA_STATUS_INVALID_ARGUMENT, "mvm: no activation ", static_cast<int>(args.activation));
  }
  if (args.input_scale == 0) return;
  if (!std::isnormal(args.input_scale) || args.input_scale < 0) {
    fail(SIDRA_STATUS_INVALID_ARGUMENT, "mvm: input_scale ", args.input_scale,
         " is neither 0 nor a normal positive number");
  }
  if (args.input_zero < 0 || args.input_zero > spec.input_limit()) {
    fail(SIDRA_STATUS_INVALID_ARGUMENT, "mvm: input_zero ", args.input_zero,
         " is not a code of 0 to ", spec.input_limit());
  }
}

MvmCall mvm_call(Stream& stream, const sidra_mvm_args& args, const Weight& weight) {
  if (args.vectors > 1 && args.output_stride < weight.outputs) {
    fail(SIDRA_STATUS_INVALID_ARGUMENT, "mvm: output_stride ", args.output_stride, " is less than ",
         weight.outputs, " outputs: vectors would overwrite one another");
  }
  const uint64_t input_bytes =
      extent("mvm input", args.vectors, args.input_stride, weight.inputs, 1, sizeof(float));
  const uint64_t output_bytes =
      extent("mvm output", args.vectors, args.output_stride, weight.outputs, 1, sizeof(float));
  MvmCall call{};
  call.input = reinterpret_cast<const float*>(
      operand(stream, "mvm input", args.input, input_bytes, alignof(float)));
  call.input_stride = args.input_stride;
  call.output = reinterpret_cast<float*>(
      operand(stream, "mvm output", args.output, output_bytes, alignof(float)));
  call.output_stride = args.output_stride;
  call.bias = optional_floats(stream, "mvm bias", args.bias, weight.outputs);
  call.vectors = args.vectors;
  call.relu = args.activation == SIDRA_ACTIVATION_RELU;
  call.dynamic_range = args.input_scale == 0;
  call.input_scale = args.input_scale;
  call.input_zero = args.input_zero;
  return call;
}

}  // namespace

sidra_cost copy_to_device(Stream& stream, uint64_t destination, const void* source,
                          uint64_t bytes) {
  if (bytes == 0) return {};
  if (source == nullptr) fail(SIDRA_STATUS_INVALID_ARGUMENT, "copy_to_device: source is null");
  std::byte* const to = operand(stream, "copy_to_device destination", destination, bytes, 1);
  const Charge charge = stream.device.cost.host(0, bytes);
  stream.submit(charge, [=] { std::memcpy(to, source, bytes); });
  return charge.cost;
}

sidra_cost copy_to_host(Stream& stream, void* destination, uint64_t source, uint64_t bytes) {
  if (bytes == 0) return {};
  if (destination == nullptr) {
    fail(SIDRA_STATUS_INVALID_ARGUMENT, "copy_to_host: destination is null");
  }
  const std::byte* const from = operand(stream, "copy_to_host source", source, bytes, 1);
  const Charge charge = stream.device.cost.host(bytes, 0);
  stream.submit(charge, [=] { std::memcpy(destination, from, bytes); });
  return charge.cost;
}

sidra_cost copy_on_device(Stream& stream, uint64_t destination, uint64_t source, uint64_t bytes) {
  if (bytes == 0) return {};
  const Memory& memory = stream.device.memory;
  const Span to = memory.find("copy_on_device destination", destination, bytes);
  const Span from = memory.find("copy_on_device source", source, bytes);
  if (destination < source + bytes && source < destination + bytes) {
    fail(SIDRA_STATUS_INVALID_ARGUMENT, "copy_on_device: ", bytes, " bytes at ", hex(source),
         " and at ", hex(destination), " overlap");
  }
  // Between devices the bytes cross the link; the stream's device accounts for it.
  const CostModel& cost = stream.device.cost;
  const bool arrives = to.device == stream.device.index;
  const Charge charge = to.device == from.device
                            ? cost.engine({0, 0, 2 * bytes})
                            : cost.host(arrives ? 0 : bytes, arrives ? bytes : 0);
  stream.submit(charge, [=] { std::memcpy(to.host, from.host, bytes); });
  return charge.cost;
}

void program(Stream& stream, sidra_weight_program_args& args) {
  Device& device = stream.device;
  check_value_type(args.type);
  if (args.outputs == 0 || args.inputs == 0) {
    fail(SIDRA_STATUS_INVALID_ARGUMENT, "weight_program: ", args.outputs, " outputs x ",
         args.inputs, " inputs: both must be at least 1");
  }
  Weight* const weight = device.create_weight(args.outputs, args.inputs, args.type);
  try {
    const WeightValues values =
        weight_values(stream,
                      {"weight_program", 0, args.outputs, args.values, args.output_stride,
                       args.input_stride, args.scales, args.full_scales},
                      *weight);
    const uint64_t cells = args.outputs * args.inputs;
    const Charge charge = device.cost.programming(
        {cells, columns_in_one_unit(*weight, device.spec, all_columns(*weight, device.spec))});
    stream.submit(charge, [weight, values, &device, use = WeightUse(*weight)] {
      program_weight(*weight, values, device.spec, device.host);
    });
    args.weight = handle(weight);
    args.cells_written = cells;
    args.cost = charge.cost;
  } catch (...) {
    device.destroy_weight(weight);
    throw;
  }
}

void update(Stream& stream, sidra_weight_update_args& args) {
  Device& device = stream.device;
  if (args.weight == nullptr) {
    fail(SIDRA_STATUS_INVALID_ARGUMENT, "weight_update: weight is null");
  }
  Weight& weight = *behind(args.weight);
  check_device("weight_update", stream, weight);
  args.cells_written = 0;
  args.cost = {};
  if (args.first_output > weight.outputs || args.outputs > weight.outputs - args.first_output) {
    fail(SIDRA_STATUS_INVALID_ARGUMENT, "weight_update: outputs ", args.first_output, " to ",
         args.first_output, " + ", args.outputs, ", the weight has ", weight.outputs);
  }
  if (args.outputs == 0) return;
  const WeightValues values =
      weight_values(stream,
                    {"weight_update", args.first_output, args.outputs, args.values,
                     args.output_stride, args.input_stride, args.scales, args.full_scales},
                    weight);
  // How many cells change is a result, so the stream has to come this far first.
  const WeightUse use(weight);
  const Charge charge = stream.submit_and_wait([&] {
    const Written written = update_weight(weight, values, device.spec, device.host);
    return device.cost.programming(
        {written.cells, columns_in_one_unit(weight, device.spec, written.columns)});
  });
  args.cells_written = charge.totals.cells_written;
  args.cost = charge.cost;
}

void mvm(Stream& stream, sidra_mvm_args& args) {
  Device& device = stream.device;
  if (args.weight == nullptr) fail(SIDRA_STATUS_INVALID_ARGUMENT, "mvm: weight is null");
  const Weight& weight = *behind(args.weight);
  check_device("mvm", stream, weight);
  check_range(device.spec, args);
  args.cost = {};
  if (args.vectors == 0) return;
  const MvmCall call = mvm_call(stream, args, weight);
  const Charge charge = device.cost.mvm({args.vectors, weight.inputs, weight.outputs,
                                         weight.placement.row_tiles, weight.placement.column_tiles,
                                         weight.placement.tiles_in_one_unit, call.dynamic_range});
  stream.submit(charge, [&weight, call, &device, use = WeightUse(weight)] {
    multiply(weight, call, device.spec, device.host);
  });
  args.cost = charge.cost;
}

void account(Stream& stream, sidra_work_args& args) {
  const CostModel& cost = stream.device.cost;
  Charge charge;
  if (args.place == SIDRA_PLACE_ENGINE) {
    charge = cost.engine({args.alu_operations, args.lookups, args.bytes_read + args.bytes_written});
  } else if (args.place == SIDRA_PLACE_HOST) {
    charge = cost.host(args.bytes_read, args.bytes_written);
  } else {
    fail(SIDRA_STATUS_INVALID_ARGUMENT, "account_work: no place ", static_cast<int>(args.place));
  }
  stream.submit(charge);
  args.cost = charge.cost;
}

}  // namespace sidra::sim
