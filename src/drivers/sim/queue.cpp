#include "drivers/sim/queue.h"

#include <algorithm>

namespace sidra::sim {

void Mark::pass(double chip_seconds) {
  {
    const std::lock_guard lock(mutex_);
    passed_ = true;
    chip_seconds_ = chip_seconds;
  }
  changed_.notify_all();
}

bool Mark::passed() const {
  const std::lock_guard lock(mutex_);
  return passed_;
}

double Mark::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return passed_; });
  return chip_seconds_;
}

std::shared_ptr<Mark> Event::mark() const {
  const std::lock_guard lock(mutex_);
  return mark_;
}

void Event::move_to(std::shared_ptr<Mark> mark) {
  const std::lock_guard lock(mutex_);
  mark_ = std::move(mark);
}

Stream::Stream(Device& owner, bool threaded)
    : device(owner), worker_(threaded ? std::make_unique<Worker>() : nullptr) {}

void Stream::record(Event& event) {
  auto mark = std::make_shared<Mark>();
  if (worker_ == nullptr) {
    mark->pass(chip_seconds());
  } else {
    worker_->push([this, mark] { mark->pass(chip_seconds()); }, Worker::When::kAlways);
  }
  event.move_to(std::move(mark));
}

void Stream::wait_for(const Event& event) {
  const std::shared_ptr<Mark> mark = event.mark();
  if (mark == nullptr) return;
  if (worker_ == nullptr) {
    move_clock_up_to(mark->wait());
  } else {
    worker_->push([this, mark] { move_clock_up_to(mark->wait()); });
  }
}

void Stream::drain() {
  if (worker_ != nullptr) worker_->drain();
}

void Stream::synchronize() {
  if (worker_ == nullptr) return;
  worker_->drain();
  if (const auto error = worker_->take_error()) throw Error(*error);
}

double Stream::chip_seconds() const {
  const std::lock_guard lock(mutex_);
  return chip_seconds_;
}

Totals Stream::totals() const {
  const std::lock_guard lock(mutex_);
  return totals_;
}

void Stream::move_clock_up_to(double chip_seconds) {
  const std::lock_guard lock(mutex_);
  chip_seconds_ = std::max(chip_seconds_, chip_seconds);
}

}  // namespace sidra::sim
