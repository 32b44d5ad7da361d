// Streams, events and the chip's clock.
//
// A stream runs commands in order, each of which adds its charge to the stream's clock and sums:
// inline in the caller's thread, or in a worker of its own. An event holds the last mark recorded;
// a mark is over once the stream has passed it, and then has a chip time.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "drivers/sim/cost.h"
#include "drivers/sim/worker.h"

namespace sidra::sim {

class Device;

class Mark {
 public:
  void pass(double chip_seconds);
  bool passed() const;
  double wait() const;  // its chip time

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool passed_ = false;
  double chip_seconds_ = 0;
};

class Event {
 public:
  explicit Event(Device& owner) : device(owner) {}

  std::shared_ptr<Mark> mark() const;  // null: never recorded
  void move_to(std::shared_ptr<Mark> mark);

  Device& device;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<Mark> mark_;
};

class Stream {
 public:
  Stream(Device& owner, bool threaded);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Runs `work` in the stream's order, then adds `charge`. Inline, an Error of `work` is thrown
  // here and nothing is added; with a worker it is kept for `synchronize`.
  template <typename Work>
  void submit(const Charge& charge, Work work) {
    if (worker_ == nullptr) {
      work();
      add(charge);
    } else {
      worker_->push([this, charge, work = std::move(work)]() mutable {
        work();
        add(charge);
      });
    }
  }
  // A command that costs but computes nothing.
  void submit(const Charge& charge) {
    if (worker_ == nullptr) return add(charge);
    worker_->push([this, charge] { add(charge); });
  }
  // Runs `work`, which returns its charge, in the caller's thread once the stream has come so far.
  template <typename Work>
  Charge submit_and_wait(Work work) {
    drain();
    const Charge charge = work();
    add(charge);
    return charge;
  }

  void record(Event& event);
  void wait_for(const Event& event);

  bool idle() const { return worker_ == nullptr || worker_->idle(); }
  void drain();        // waits for the commands; keeps their error
  void synchronize();  // waits, then throws the first Error since the last call
  double chip_seconds() const;
  Totals totals() const;

  Device& device;

 private:
  void add(const Charge& charge) {
    const std::lock_guard lock(mutex_);
    chip_seconds_ += charge.cost.chip_seconds;
    totals_ += charge.totals;
  }
  void move_clock_up_to(double chip_seconds);

  mutable std::mutex mutex_;
  double chip_seconds_ = 0;
  Totals totals_;
  std::unique_ptr<Worker> worker_;  // null: inline. Last: its commands use the members above
};

}  // namespace sidra::sim
