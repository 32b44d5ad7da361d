#include "runtime/driver_loader.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>

#include "runtime/device.h"
#include "runtime/driver_library.h"
#include "runtime/error.h"
#include "runtime/fork.h"
#include "runtime/host_services.h"
#include "runtime/loaded_driver.h"

namespace sidra::runtime {
namespace {

struct Settings {
  std::string driver;
  std::string config;
  bool operator==(const Settings&) const = default;
};

// Never destroyed: tensors may outlive every destructor at exit.
struct Loader {
  std::mutex mutex;
  bool configured = false;
  Settings settings;
  // The failure of the last attempt, which stands until the settings change.
  std::exception_ptr failure;
  std::string failure_text;
};

std::atomic<bool> failed{false};
std::atomic<bool> exiting{false};

Loader& loader() {
  static Loader* const instance = new Loader;
  return *instance;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

Settings default_settings() {
  const std::string driver = environment("SIDRA_DRIVER");
  const std::string chip = environment("SIDRA_CHIP");
  return {driver.empty() ? "sim" : driver, chip.empty() ? "" : "preset=" + chip};
}

std::vector<sidra_device_properties> read_properties(const Driver& driver) {
  std::vector<sidra_device_properties> all(driver.device_count);
  for (int32_t device = 0; device < driver.device_count; ++device) {
    sidra_device_properties& properties = all[device];
    properties = {};
    properties.struct_size = sizeof(properties);
    SIDRA_CHECK(driver.table->device_properties(driver.instance, device, &properties),
                "sidra driver '" + driver.path + "': reading the properties of device " +
                    std::to_string(device));
    properties.name[sizeof(properties.name) - 1] = '\0';
  }
  return all;
}

bool all_have(const Driver& driver, uint32_t flag) {
  return std::all_of(driver.properties.begin(), driver.properties.end(),
                     [flag](const auto& properties) { return (properties.flags & flag) != 0; });
}

// Operators run in place when a host pointer equals its address. A driver says only that host
// pointers exist, so one allocation is asked.
bool pointers_equal_addresses(const Driver& driver) {
  uint64_t address = 0;
  constexpr uint64_t kBytes = 64;
  if (driver.table->memory_alloc(driver.instance, 0, kBytes, &address) != SIDRA_STATUS_OK) {
    return false;
  }
  void* pointer = nullptr;
  const sidra_status status =
      driver.table->memory_host_pointer(driver.instance, address, kBytes, &pointer);
  SIDRA_WARN(driver.table->memory_free(driver.instance, address), "sidra: freeing device memory");
  return status == SIDRA_STATUS_OK && reinterpret_cast<uint64_t>(pointer) == address;
}

void create_instance(Driver& driver, const Settings& settings) {
  sidra_instance_create_args args{};
  args.struct_size = sizeof(args);
  args.config = settings.config.c_str();
  args.services = host_services();
  const sidra_status status = driver.table->instance_create(&args);
  if (status != SIDRA_STATUS_OK) {
    const char* reason = driver.table->last_error();
    raise(ErrorKind::kDriver, "sidra driver '" + settings.driver +
                                  "' refused its configuration: " + (reason ? reason : "") + " (" +
                                  status_name(status) + "); check SIDRA_CHIP and SIDRA_DEVICES");
  }
  driver.instance = args.instance;
  driver.device_count = args.device_count;
  if (args.device_count >= 1 && args.device_count <= kMaxDevices) return;
  raise(ErrorKind::kDriver,
        "sidra driver '" + settings.driver + "' offers " + std::to_string(args.device_count) +
            " devices; set SIDRA_DEVICES to 1 to " + std::to_string(kMaxDevices));
}

const Driver* open(const Settings& settings) {
  auto driver = std::make_unique<Driver>();
  driver->path = driver_path(settings.driver);
  driver->table = load_driver_table(driver->path);
  // Runs before the driver's own destructors, which were registered while it was loaded.
  std::atexit([] { exiting.store(true, std::memory_order_relaxed); });
  create_instance(*driver, settings);
  driver->properties = read_properties(*driver);
  driver->completes_at_submission = all_have(*driver, SIDRA_DEVICE_COMPLETES_AT_SUBMISSION);
  driver->host_coherent =
      all_have(*driver, SIDRA_DEVICE_HOST_COHERENT) && pointers_equal_addresses(*driver);
  return driver.release();
}

// In a handler of the exception that was thrown.
void keep_failure(Loader& state, const char* text) {
  state.failure = std::current_exception();
  state.failure_text = text;
  failed.store(true, std::memory_order_release);
}

const Driver& open_once() {
  Loader& state = loader();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (const Driver* driver = open_driver()) return *driver;
  if (state.failure) std::rethrow_exception(state.failure);
  if (!state.configured) state.settings = default_settings();
  watch_forks();
  try {
    const Driver* driver = open(state.settings);
    opened_driver.store(driver, std::memory_order_release);
    return *driver;
  } catch (const c10::Error& error) {
    keep_failure(state, error.what_without_backtrace());
    throw;
  } catch (const std::exception& error) {
    keep_failure(state, error.what());
    throw;
  }
}

}  // namespace

void configure_driver(std::string path_or_name, std::string config) {
  Loader& state = loader();
  const std::lock_guard<std::mutex> lock(state.mutex);
  Settings settings{std::move(path_or_name), std::move(config)};
  if (state.configured && settings == state.settings) return;
  if (open_driver()) {
    raise(ErrorKind::kDriver,
          "sidra driver '" + state.settings.driver + "' is in use and cannot be exchanged for '" +
              settings.driver +
              "'; configure it before the first use of the device, or start another process");
  }
  state.settings = std::move(settings);
  state.configured = true;
  state.failure = nullptr;
  state.failure_text.clear();
  failed.store(false, std::memory_order_release);
}

const Driver& driver() {
  const Driver* driver = open_driver();
  return driver ? *driver : open_once();
}

bool driver_available() noexcept {
  if (open_driver()) return true;
  if (failed.load(std::memory_order_acquire)) return false;
  try {
    open_once();
    return true;
  } catch (...) {
    return false;
  }
}

std::string driver_error() {
  if (driver_available()) return "";
  const std::lock_guard<std::mutex> lock(loader().mutex);
  return loader().failure_text;
}

std::string driver_description() {
  const sidra_driver* table = driver().table;
  constexpr size_t kReach = offsetof(sidra_driver, describe) + sizeof(table->describe);
  if (table->struct_size < kReach || !table->describe) return "{}";
  const char* text = table->describe();
  return text ? text : "{}";
}

std::string driver_last_error() {
  const Driver* driver = open_driver();
  const char* text = driver ? driver->table->last_error() : nullptr;
  return text ? text : "";
}

void forget_driver() noexcept { opened_driver.store(nullptr, std::memory_order_release); }
void lock_driver_loader() { loader().mutex.lock(); }
void unlock_driver_loader() noexcept { loader().mutex.unlock(); }
bool process_is_exiting() noexcept { return exiting.load(std::memory_order_relaxed); }

}  // namespace sidra::runtime
