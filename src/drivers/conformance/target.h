// The driver under test, and what the tests hold of it: instances, streams, memory and weights
// that are given back at the end of a test.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "drivers/conformance/expect.h"
#include "sidra/driver.h"
#include "testing/check.h"

namespace sidra::conformance {

// Loads the library and asks for its table. Throws std::runtime_error with what is wrong.
void load_target(const char* path, const std::string& config);
sidra_driver_get_function target_get();
const std::string& target_config();  // of the command line
const sidra_driver& driver();

// An instance of the driver with the configuration of the command line.
class Session {
 public:
  explicit Session(int devices = 1, const sidra_host_services* services = nullptr);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  sidra_instance* instance() const { return instance_; }
  int32_t device_count() const { return device_count_; }
  sidra_device_properties properties(int32_t device = 0) const;
  bool has(uint32_t flag) const { return (properties().flags & flag) != 0; }
  sidra_counters counters(int32_t device = 0) const;
  uint64_t free_bytes(int32_t device = 0) const;

 private:
  sidra_instance* instance_ = nullptr;
  int32_t device_count_ = 0;
};

class Stream {
 public:
  explicit Stream(const Session& session, int32_t device = 0, int32_t priority = 0);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  operator sidra_stream*() const { return stream_; }
  void synchronize() const;
  double clock() const;  // after synchronizing

 private:
  sidra_stream* stream_ = nullptr;
};

class Event {
 public:
  explicit Event(const Session& session, int32_t device = 0);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  operator sidra_event*() const { return event_; }

 private:
  sidra_event* event_ = nullptr;
};

// Device memory.
class Memory {
 public:
  Memory(const Session& session, uint64_t bytes, int32_t device = 0);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  uint64_t address() const { return address_; }

 private:
  const Session& session_;
  uint64_t address_ = 0;
};

// Device memory that holds values: copied there and back over a stream.
template <typename T>
class Values {
 public:
  Values(const Session& session, sidra_stream* stream, const std::vector<T>& values,
         int32_t device = 0)
      : memory_(session, values.size() * sizeof(T), device), count_(values.size()) {
    write(stream, values);
  }

  uint64_t address(uint64_t element = 0) const { return memory_.address() + element * sizeof(T); }

  void write(sidra_stream* stream, const std::vector<T>& values) const {
    CHECK_EQ(driver().copy_to_device(stream, address(), values.data(), values.size() * sizeof(T),
                                     nullptr),
             SIDRA_STATUS_OK);
    CHECK_EQ(driver().stream_synchronize(stream), SIDRA_STATUS_OK);
  }
  std::vector<T> read(sidra_stream* stream) const {
    std::vector<T> values(count_);
    CHECK_EQ(driver().copy_to_host(stream, values.data(), address(), count_ * sizeof(T), nullptr),
             SIDRA_STATUS_OK);
    CHECK_EQ(driver().stream_synchronize(stream), SIDRA_STATUS_OK);
    return values;
  }

 private:
  Memory memory_;
  uint64_t count_;
};

// A struct of the ABI, zeroed, with its size set.
template <typename T>
T sized() {
  T value{};
  value.struct_size = sizeof(T);
  return value;
}

}  // namespace sidra::conformance
