#include "runtime/generator.h"

#include <mutex>
#include <string>

#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/generator_impl.h"

namespace sidra::runtime {
namespace {

// Generators need no driver: they can be seeded before the device is first used, and in a forked
// child too.
struct Defaults {
  std::mutex mutex;
  at::Generator of_device[kMaxDevices];
  bool seeded = false;
  uint64_t seed = 0;  // of generators not yet made, when seeded
};

Defaults& defaults() {
  static Defaults* const instance = new Defaults;  // outlives every tensor
  return *instance;
}

at::Generator make(c10::DeviceIndex device, uint64_t seed) {
  return at::make_generator<SidraGeneratorImpl>(device,
                                                c10::make_intrusive<at::CPUGeneratorImpl>(seed));
}

}  // namespace

const at::Generator& default_generator(c10::DeviceIndex device) {
  device = check_device(device);
  Defaults& all = defaults();
  const std::lock_guard<std::mutex> lock(all.mutex);
  at::Generator& generator = all.of_device[device];
  if (!generator.defined()) {
    generator = make(device, all.seeded ? all.seed : c10::detail::getNonDeterministicRandom());
  }
  return generator;
}

at::Generator new_generator(c10::DeviceIndex device) {
  return make(check_device(device), c10::default_rng_seed_val);
}

void seed_default_generators(uint64_t seed) {
  Defaults& all = defaults();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.seeded = true;
  all.seed = seed;
  for (at::Generator& generator : all.of_device) {
    if (generator.defined()) generator.set_current_seed(seed);
  }
}

at::Generator host_generator(const at::Generator& generator) {
  if (generator.device().type() != kDeviceType) {
    raise(ErrorKind::kRuntime, "Expected a 'sidra' device type for generator but found '" +
                                   generator.device().str() + "'");
  }
  return at::Generator(generator.get<SidraGeneratorImpl>()->host());
}

}  // namespace sidra::runtime
