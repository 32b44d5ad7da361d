#include "drivers/conformance/target.h"

#include <dlfcn.h>

#include <stdexcept>

namespace sidra::conformance {
namespace {

struct Target {
  sidra_driver_get_function get = nullptr;
  const sidra_driver* table = nullptr;
  std::string config;
};

Target& target() {
  static Target instance;
  return instance;
}

}  // namespace

void load_target(const char* path, const std::string& config) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  void* const symbol = dlsym(library, "sidra_driver_get");
  if (symbol == nullptr) throw std::runtime_error(dlerror());
  target().get = reinterpret_cast<sidra_driver_get_function>(symbol);
  target().table = target().get(SIDRA_ABI_MAJOR);
  if (target().table == nullptr) {
    throw std::runtime_error("sidra_driver_get(" + std::to_string(SIDRA_ABI_MAJOR) +
                             ") returned NULL");
  }
  target().config = config;
}

sidra_driver_get_function target_get() { return target().get; }
const std::string& target_config() { return target().config; }
const sidra_driver& driver() { return *target().table; }

Session::Session(int devices, const sidra_host_services* services) {
  const std::string config = target_config() + "devices=" + std::to_string(devices) + "\n";
  auto args = sized<sidra_instance_create_args>();
  args.config = config.c_str();
  args.services = services;
  CHECK_OK(driver().instance_create(&args));
  instance_ = args.instance;
  device_count_ = args.device_count;
}

Session::~Session() { driver().instance_destroy(instance_); }

sidra_device_properties Session::properties(int32_t device) const {
  auto properties = sized<sidra_device_properties>();
  CHECK_OK(driver().device_properties(instance_, device, &properties));
  return properties;
}

sidra_counters Session::counters(int32_t device) const {
  auto counters = sized<sidra_counters>();
  CHECK_OK(driver().device_counters(instance_, device, &counters));
  return counters;
}

uint64_t Session::free_bytes(int32_t device) const {
  uint64_t free = 0, total = 0;
  CHECK_OK(driver().memory_info(instance_, device, &free, &total));
  return free;
}

Stream::Stream(const Session& session, int32_t device, int32_t priority) {
  CHECK_OK(driver().stream_create(session.instance(), device, priority, &stream_));
}
Stream::~Stream() { driver().stream_destroy(stream_); }
void Stream::synchronize() const { CHECK_OK(driver().stream_synchronize(stream_)); }
double Stream::clock() const {
  synchronize();
  double seconds = -1;
  CHECK_OK(driver().stream_clock(stream_, &seconds));
  return seconds;
}

Event::Event(const Session& session, int32_t device) {
  CHECK_OK(driver().event_create(session.instance(), device, &event_));
}
Event::~Event() { driver().event_destroy(event_); }

Memory::Memory(const Session& session, uint64_t bytes, int32_t device) : session_(session) {
  CHECK_OK(driver().memory_alloc(session.instance(), device, bytes, &address_));
}
Memory::~Memory() { driver().memory_free(session_.instance(), address_); }

}  // namespace sidra::conformance
