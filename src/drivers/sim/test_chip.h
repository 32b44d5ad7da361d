// For tests: a simulated chip with its instance, a stream and operands in coherent memory.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "drivers/abi/error.h"
#include "drivers/sim/commands.h"
#include "drivers/sim/handles.h"
#include "drivers/sim/instance.h"
#include "testing/check.h"

namespace sidra::sim {

// Two threads that divide every range: what the run time lends, without the run time.
inline void two_threads(void*, uint64_t count, uint64_t grain, sidra_range_function body,
                        void* body_context) {
  const uint64_t half = std::max(grain, (count + 1) / 2);
  if (half >= count) return body(body_context, 0, count);
  std::thread second([&] { body(body_context, half, count); });
  body(body_context, 0, half);
  second.join();
}

inline const sidra_host_services* two_thread_services() {
  static const sidra_host_services services{sizeof(sidra_host_services), nullptr, two_threads,
                                            nullptr};
  return &services;
}

// The text of the Error that `body` throws; fails unless it throws one with that status.
template <typename Body>
std::string error_of(sidra_status status, const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    CHECK_EQ(error.status(), status);
    return error.what();
  }
  testing::fail(__FILE__, __LINE__, "no Error was thrown");
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class TestChip {
 public:
  explicit TestChip(const std::string& config, const sidra_host_services* services = nullptr)
      : instance(parse_config(config), services),
        device(instance.device("test", 0)),
        stream(*device.create_stream()) {}

  const ChipSpec& spec() const { return device.spec; }

  // Device memory that holds `values`; freed with the instance.
  template <typename T>
  uint64_t store(const std::vector<T>& values) {
    const uint64_t bytes = std::max<uint64_t>(1, values.size() * sizeof(T));
    const uint64_t address = instance.memory.allocate(0, bytes);
    const Span span = instance.memory.find("test", address, bytes);
    std::copy(values.begin(), values.end(), reinterpret_cast<T*>(span.host));
    return address;
  }
  template <typename T>
  std::vector<T> load(uint64_t address, uint64_t count) {
    const Span span = instance.memory.find("test", address, count * sizeof(T));
    const auto* const begin = reinterpret_cast<const T*>(span.host);
    return {begin, begin + count};
  }

  // A weight of contiguous f32 [outputs][inputs].
  sidra_weight_program_args program_args(const std::vector<float>& values, uint64_t outputs) {
    sidra_weight_program_args args{};
    args.struct_size = sizeof(args);
    args.outputs = outputs;
    args.inputs = args.output_stride = values.size() / outputs;
    args.input_stride = 1;
    args.values = store(values);
    args.type = SIDRA_VALUE_F32;
    return args;
  }
  Weight& program_values(const std::vector<float>& values, uint64_t outputs) {
    sidra_weight_program_args args = program_args(values, outputs);
    program(stream, args);
    return *behind(args.weight);
  }

  Instance instance;
  Device& device;
  Stream& stream;
};

}  // namespace sidra::sim
