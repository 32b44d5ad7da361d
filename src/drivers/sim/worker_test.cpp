#include "drivers/sim/worker.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "testing/check.h"

namespace sidra::sim {
namespace {

void pause_briefly() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

TEST(worker_runs_in_order) {
  Worker worker;
  std::vector<int> seen;
  for (int i = 0; i < 1000; ++i) worker.push([&seen, i] { seen.push_back(i); });
  worker.drain();
  CHECK_EQ(seen.size(), size_t{1000});
  for (int i = 0; i < 1000; ++i) CHECK_EQ(seen[static_cast<size_t>(i)], i);
}

TEST(worker_is_idle_when_nothing_is_left) {
  Worker worker;
  CHECK(worker.idle());
  std::atomic<bool> go{false};
  worker.push([&] {
    while (!go) std::this_thread::yield();
  });
  CHECK(!worker.idle());
  go = true;
  worker.drain();
  CHECK(worker.idle());
}

TEST(worker_finishes_before_it_is_gone) {
  int done = 0;
  {
    Worker worker;
    for (int i = 0; i < 10; ++i) {
      worker.push([&] {
        pause_briefly();
        ++done;
      });
    }
  }
  CHECK_EQ(done, 10);
}

TEST(worker_keeps_the_first_error_and_goes_on) {
  Worker worker;
  int done = 0;
  worker.push([] { fail(SIDRA_STATUS_NOT_FOUND, "first"); });
  worker.push([] { fail(SIDRA_STATUS_INTERNAL, "second"); });
  worker.push([&] { ++done; });
  worker.drain();
  CHECK_EQ(done, 1);
  const auto error = worker.take_error();
  CHECK(error.has_value());
  CHECK_EQ(error->status(), SIDRA_STATUS_NOT_FOUND);
  CHECK_EQ(std::string(error->what()), "first");
  CHECK(!worker.take_error().has_value());
}

TEST(worker_survives_foreign_exceptions) {
  Worker worker;
  worker.push([] { throw std::runtime_error("odd"); });
  worker.drain();
  CHECK_EQ(worker.take_error()->status(), SIDRA_STATUS_INTERNAL);
  worker.push([] { throw 7; });
  worker.drain();
  CHECK_EQ(worker.take_error()->status(), SIDRA_STATUS_INTERNAL);
}

TEST(worker_dropping_its_queue_runs_only_what_others_wait_for) {
  Worker worker;
  std::atomic<bool> go{false};
  std::atomic<int> dropped{0}, kept{0};
  worker.push([&] {
    while (!go) std::this_thread::yield();
  });
  worker.push([&] { ++dropped; });
  worker.push([&] { ++kept; }, Worker::When::kAlways);
  worker.drop_queue();
  go = true;
  worker.drain();
  worker.push([&] { ++dropped; });
  worker.push([&] { ++kept; }, Worker::When::kAlways);
  worker.drain();
  CHECK_EQ(dropped.load(), 0);
  CHECK_EQ(kept.load(), 2);
}

// A process that leaves with work queued: ends soon, with its own status.
TEST(worker_does_not_hold_up_the_end_of_the_process) {
  std::fflush(stdout);  // the child must not print it again
  const pid_t child = fork();
  if (child == 0) {
    auto* const worker = new Worker;  // never destroyed, as the run time's instance is not
    for (int i = 0; i < 100000; ++i) worker->push(pause_briefly);
    std::exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK_EQ(WEXITSTATUS(status), 7);
}

}  // namespace
}  // namespace sidra::sim
