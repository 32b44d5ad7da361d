// A matrix that occupies crossbars: what the driver keeps of it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "drivers/sim/aligned.h"
#include "drivers/sim/placement.h"
#include "sidra/driver.h"

namespace sidra::sim {

class Device;

// How many submitted commands still need something.
class Uses {
 public:
  void begin() {
    const std::lock_guard lock(mutex_);
    ++count_;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    if (--count_ == 0) none_.notify_all();
  }
  void wait_for_none() {
    std::unique_lock lock(mutex_);
    none_.wait(lock, [&] { return count_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  uint64_t count_ = 0;
};

struct Weight {
  Weight(Device& owner, uint64_t n, uint64_t k, sidra_value_type value_type)
      : device(owner), outputs(n), inputs(k), type(value_type) {}

  uint64_t host_bytes() const {
    return sizeof(Weight) + placement.crossbars.capacity() * sizeof(uint32_t) + levels.bytes() +
           column_sums.bytes() + inverse_delta.bytes() + gain.bytes() + values.bytes();
  }

  Device& device;
  const uint64_t outputs, inputs;
  const sidra_value_type type;
  Placement placement;
  std::atomic<uint64_t> cells_written{0};
  mutable Uses uses;

  // What the cells hold; read under a shared lock, written under a unique one.
  mutable std::shared_mutex content;
  bool programmed = false;            // false: programming failed
  AlignedArray<int8_t> levels;        // packed, see kernels/mvm/mvm.h
  AlignedArray<int32_t> column_sums;  // [row tiles][padded outputs]
  AlignedArray<float> inverse_delta;  // [padded outputs]
  AlignedArray<float> gain;           // [padded outputs]
  AlignedArray<float> values;         // [outputs][inputs], of an exact chip instead of the above
};

// Keeps a weight from being freed.
class WeightUse {
 public:
  explicit WeightUse(const Weight& weight) : uses_(&weight.uses) { uses_->begin(); }
  WeightUse(WeightUse&& other) noexcept : uses_(std::exchange(other.uses_, nullptr)) {}
  ~WeightUse() {
    if (uses_ != nullptr) uses_->end();
  }
  WeightUse& operator=(WeightUse&&) = delete;

 private:
  Uses* uses_;
};

}  // namespace sidra::sim
