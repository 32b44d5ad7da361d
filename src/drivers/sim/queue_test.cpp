#include "drivers/sim/queue.h"

#include <atomic>
#include <thread>

#include "drivers/sim/test_chip.h"

namespace sidra::sim {
namespace {

Charge seconds(double chip_seconds) {
  Charge charge;
  charge.cost.chip_seconds = chip_seconds;
  charge.totals.engine_seconds = chip_seconds;
  return charge;
}

// Both kinds of queue.
void on_each_queue(void (*body)(TestChip& chip)) {
  for (const char* config : {"preset=tiny", "preset=tiny\nqueue=thread"}) {
    TestChip chip(config);
    body(chip);
  }
}

TEST(queue_runs_work_and_adds_its_charge) {
  on_each_queue([](TestChip& chip) {
    std::vector<int> seen;
    for (int i = 0; i < 10; ++i) chip.stream.submit(seconds(1), [&seen, i] { seen.push_back(i); });
    chip.stream.submit(seconds(0.5));
    chip.stream.synchronize();
    CHECK(seen == std::vector<int>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    CHECK_EQ(chip.stream.chip_seconds(), 10.5);
    CHECK_EQ(chip.stream.totals().engine_seconds, 10.5);
    CHECK(chip.stream.idle());
  });
}

TEST(queue_inline_throws_at_submission) {
  TestChip chip("preset=tiny");
  error_of(SIDRA_STATUS_INTERNAL,
           [&] { chip.stream.submit(seconds(1), [] { fail(SIDRA_STATUS_INTERNAL, "x"); }); });
  CHECK_EQ(chip.stream.chip_seconds(), 0.0);
  chip.stream.synchronize();
}

TEST(queue_thread_throws_at_the_next_synchronize_once) {
  TestChip chip("preset=tiny\nqueue=thread");
  chip.stream.submit(seconds(1), [] { fail(SIDRA_STATUS_NOT_FOUND, "late"); });
  chip.stream.submit(seconds(2), [] {});
  const auto text = error_of(SIDRA_STATUS_NOT_FOUND, [&] { chip.stream.synchronize(); });
  CHECK_EQ(text, "late");
  chip.stream.synchronize();
  CHECK_EQ(chip.stream.chip_seconds(), 2.0);  // what failed costs nothing
}

TEST(queue_submit_and_wait_comes_after_what_is_queued) {
  on_each_queue([](TestChip& chip) {
    int value = 0;
    chip.stream.submit(seconds(1), [&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      value = 7;
    });
    const Charge charge = chip.stream.submit_and_wait([&] { return seconds(value); });
    CHECK_EQ(charge.cost.chip_seconds, 7.0);
    CHECK_EQ(chip.stream.chip_seconds(), 8.0);
  });
}

TEST(queue_event_marks_a_chip_time) {
  on_each_queue([](TestChip& chip) {
    Event event(chip.device);
    CHECK(event.mark() == nullptr);
    chip.stream.submit(seconds(3));
    chip.stream.record(event);
    chip.stream.submit(seconds(4));
    CHECK_EQ(event.mark()->wait(), 3.0);
    CHECK(event.mark()->passed());
    chip.stream.record(event);
    CHECK_EQ(event.mark()->wait(), 7.0);
  });
}

TEST(queue_wait_moves_the_clock_up_and_never_back) {
  on_each_queue([](TestChip& chip) {
    Stream& other = *chip.device.create_stream();
    Event event(chip.device);
    other.wait_for(event);  // never recorded
    chip.stream.submit(seconds(3));
    chip.stream.record(event);
    other.submit(seconds(1));
    other.wait_for(event);
    other.synchronize();
    CHECK_EQ(other.chip_seconds(), 3.0);
    other.submit(seconds(1));
    other.wait_for(event);
    other.synchronize();
    CHECK_EQ(other.chip_seconds(), 4.0);
  });
}

TEST(queue_thread_waits_for_the_mark_at_the_time_of_the_call) {
  TestChip chip("preset=tiny\nqueue=thread");
  Stream& other = *chip.device.create_stream();
  std::atomic<bool> go{false}, passed{false};
  auto event = std::make_unique<Event>(chip.device);
  chip.stream.submit(seconds(2), [&] {
    while (!go) std::this_thread::yield();
  });
  chip.stream.record(*event);
  other.wait_for(*event);
  other.submit(seconds(1), [&] { passed = true; });
  chip.stream.submit(seconds(10));
  chip.stream.record(*event);  // moves on: the wait is for the first mark
  event.reset();               // and needs the event no more
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK(!passed && !other.idle());
  go = true;
  other.synchronize();
  CHECK(passed);
  CHECK_EQ(other.chip_seconds(), 3.0);
}

TEST(queue_destroyed_while_busy_finishes) {
  std::atomic<int> done{0};
  {
    TestChip chip("preset=tiny\nqueue=thread");
    Stream& other = *chip.device.create_stream();
    Event event(chip.device);
    for (int i = 0; i < 20; ++i) {
      chip.stream.submit(seconds(1), [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ++done;
      });
    }
    chip.stream.record(event);
    other.wait_for(event);
    other.submit(seconds(1), [&] { ++done; });
  }
  CHECK_EQ(done.load(), 21);
}

}  // namespace
}  // namespace sidra::sim
