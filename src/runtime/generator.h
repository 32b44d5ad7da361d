// Random numbers: one generator per device, drawing as PyTorch's CPU generator does.
#pragma once

#include <ATen/core/Generator.h>

namespace sidra::runtime {

const at::Generator& default_generator(c10::DeviceIndex device);  // -1: current device
at::Generator new_generator(c10::DeviceIndex device);
// Seeds the default generators of all devices, those made later too; needs no driver.
void seed_default_generators(uint64_t seed);

// The CPU generator that carries the state of a sidra generator: what CPU kernels are given. Both
// share the state, so draws by either advance the other. Raises for a generator of another device.
at::Generator host_generator(const at::Generator& generator);

}  // namespace sidra::runtime
