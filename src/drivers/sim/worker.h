// A thread that runs commands in the order they are pushed.
//
// The thread starts with the first command. At process exit all workers stop after the command at
// hand: what is queued behind it is dropped, so that exit neither hangs nor runs commands while
// the process comes apart.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "drivers/abi/error.h"

namespace sidra::sim {

class Worker {
 public:
  // `kAlways` commands run even when the queue is dropped: others wait for them.
  enum class When { kUnlessDropped, kAlways };

  Worker();
  ~Worker();  // after what is queued
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  template <typename Body>
  void push(Body body, When when = When::kUnlessDropped) {
    enqueue(std::make_unique<BodyCommand<Body>>(std::move(body)), when);
  }
  bool idle() const;
  void drain();                       // waits until nothing is queued or running
  std::optional<Error> take_error();  // of the first command that failed since the last call

  void drop_queue();  // at exit
  void join();

 private:
  struct Command {
    virtual ~Command() = default;
    virtual void run() = 0;
  };
  template <typename Body>
  struct BodyCommand final : Command {
    explicit BodyCommand(Body b) : body(std::move(b)) {}
    void run() override { body(); }
    Body body;
  };
  struct Entry {
    std::unique_ptr<Command> command;
    When when;
  };

  void enqueue(std::unique_ptr<Command> command, When when);
  void loop();
  void run_and_keep_error(std::unique_ptr<Command> command) noexcept;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> queue_;
  bool running_ = false;
  bool stopping_ = false;
  bool dropping_ = false;
  std::optional<Error> error_;
  std::thread thread_;
};

}  // namespace sidra::sim
