#include "drivers/sim/worker.h"

#include <cstdlib>
#include <set>

namespace sidra::sim {
namespace {

// Every worker of the process. Never destroyed: workers may end after static destructors.
struct Workers {
  std::mutex mutex;
  std::set<Worker*> all;
};

Workers& workers() {
  static Workers* const instance = new Workers;
  return *instance;
}

void stop_all() {
  const std::lock_guard lock(workers().mutex);
  for (Worker* worker : workers().all) worker->drop_queue();
  for (Worker* worker : workers().all) worker->join();
}

}  // namespace

Worker::Worker() {
  // Registered after the libraries that lend services, therefore run before their destructors.
  static const bool registered = std::atexit(stop_all) == 0;
  (void)registered;
  const std::lock_guard lock(workers().mutex);
  workers().all.insert(this);
}

Worker::~Worker() {
  {
    const std::lock_guard lock(workers().mutex);
    workers().all.erase(this);
  }
  drain();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  join();
}

bool Worker::idle() const {
  const std::lock_guard lock(mutex_);
  return queue_.empty() && !running_;
}

void Worker::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return queue_.empty() && !running_; });
}

std::optional<Error> Worker::take_error() {
  const std::lock_guard lock(mutex_);
  return std::exchange(error_, std::nullopt);
}

void Worker::drop_queue() {
  {
    const std::lock_guard lock(mutex_);
    dropping_ = true;
    stopping_ = true;
  }
  changed_.notify_all();
}

void Worker::join() {
  if (thread_.joinable() && thread_.get_id() != std::this_thread::get_id()) thread_.join();
}

void Worker::enqueue(std::unique_ptr<Command> command, When when) {
  std::unique_lock lock(mutex_);
  if (dropping_) {
    lock.unlock();
    if (when == When::kAlways) run_and_keep_error(std::move(command));
    return;
  }
  queue_.push_back({std::move(command), when});
  if (!thread_.joinable()) thread_ = std::thread([this] { loop(); });
  lock.unlock();
  changed_.notify_all();
}

void Worker::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !queue_.empty() || stopping_; });
    if (queue_.empty()) return;
    Entry entry = std::move(queue_.front());
    queue_.pop_front();
    running_ = true;
    const bool run = !dropping_ || entry.when == When::kAlways;
    lock.unlock();
    if (run) run_and_keep_error(std::move(entry.command));
    entry.command.reset();
    lock.lock();
    running_ = false;
    changed_.notify_all();
  }
}

void Worker::run_and_keep_error(std::unique_ptr<Command> command) noexcept {
  std::optional<Error> error;
  try {
    command->run();
    return;
  } catch (const Error& caught) {
    error = caught;
  } catch (const std::exception& caught) {
    error = Error(SIDRA_STATUS_INTERNAL, caught.what());
  } catch (...) {
    error = Error(SIDRA_STATUS_INTERNAL, "a command threw something that is no exception");
  }
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = std::move(error);
}

}  // namespace sidra::sim
