// Streams and events: order, clocks, marks.
#include <cmath>

#include "drivers/conformance/target.h"

namespace sidra::conformance {
namespace {

// Work on the compute engines; returns its chip time.
double work(sidra_stream* stream, uint64_t operations) {
  auto args = sized<sidra_work_args>();
  args.place = SIDRA_PLACE_ENGINE;
  args.alu_operations = operations;
  CHECK_OK(driver().account_work(stream, &args));
  return args.cost.chip_seconds;
}

bool close(double a, double b) { return std::fabs(a - b) <= 1e-9 * std::fabs(b) + 1e-15; }

TEST(stream_takes_any_priority) {
  const Session session;
  for (const int32_t priority : {-10, -1, 0, 1, 10}) Stream(session, 0, priority).synchronize();
}

TEST(stream_null_is_refused) {
  const Session session;
  const Stream stream(session);
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().stream_destroy(nullptr));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().stream_query(nullptr));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().stream_synchronize(nullptr));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().stream_wait_event(stream, nullptr));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().stream_clock(stream, nullptr));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT,
              driver().stream_create(session.instance(), 0, 0, nullptr));
}

TEST(stream_is_idle_after_synchronize) {
  const Session session;
  const Stream stream(session);
  CHECK_OK(driver().stream_query(stream));
  const Values<float> values(session, stream, std::vector<float>(100000));
  work(stream, 1000);
  stream.synchronize();
  CHECK_OK(driver().stream_query(stream));
  CHECK_OK(driver().device_synchronize(session.instance(), 0));
}

TEST(stream_that_completes_at_submission_is_always_idle) {
  const Session session;
  SKIP_IF(!session.has(SIDRA_DEVICE_COMPLETES_AT_SUBMISSION), "commands may still be under way");
  const Stream stream(session);
  const Event event(session);
  const std::vector<uint8_t> bytes(8 << 20);
  const Memory memory(session, bytes.size());
  CHECK_OK(driver().copy_to_device(stream, memory.address(), bytes.data(), bytes.size(), nullptr));
  CHECK_OK(driver().stream_query(stream));
  CHECK_OK(driver().event_record(event, stream));
  CHECK_OK(driver().event_query(event));
}

TEST(stream_clock_advances_by_the_cost) {
  const Session session;
  const Stream stream(session);
  CHECK_EQ(stream.clock(), 0.0);
  double expected = 0;
  for (int i = 0; i < 10; ++i) expected += work(stream, 1000 * static_cast<uint64_t>(i + 1));
  CHECK(close(stream.clock(), expected));
  CHECK(expected > 0 || session.has(SIDRA_DEVICE_COMPUTES_NOTHING));
}

TEST(stream_clocks_are_independent) {
  const Session session;
  const Stream first(session), second(session);
  work(first, 1000);
  CHECK_EQ(second.clock(), 0.0);
}

TEST(event_never_recorded_is_over) {
  const Session session;
  const Stream stream(session);
  const Event event(session), other(session);
  CHECK_OK(driver().event_query(event));
  CHECK_OK(driver().event_synchronize(event));
  CHECK_OK(driver().stream_wait_event(stream, event));
  stream.synchronize();
  double seconds = 0;
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().event_elapsed(event, other, &seconds));
  CHECK_OK(driver().event_record(event, stream));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().event_elapsed(event, other, &seconds));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().event_elapsed(other, event, &seconds));
}

TEST(event_null_is_refused) {
  const Session session;
  const Stream stream(session);
  const Event event(session);
  double seconds = 0;
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().event_destroy(nullptr));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().event_record(nullptr, stream));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().event_record(event, nullptr));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().event_query(nullptr));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().event_synchronize(nullptr));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().event_elapsed(event, nullptr, &seconds));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().event_elapsed(event, event, nullptr));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().event_create(session.instance(), 0, nullptr));
}

TEST(event_elapsed_is_the_cost_between) {
  const Session session;
  const Stream stream(session);
  const Event start(session), end(session);
  work(stream, 5000);
  CHECK_OK(driver().event_record(start, stream));
  const double expected = work(stream, 12345) + work(stream, 1);
  CHECK_OK(driver().event_record(end, stream));
  work(stream, 777);
  CHECK_OK(driver().event_synchronize(end));
  CHECK_OK(driver().event_query(start));
  double seconds = -1;
  CHECK_OK(driver().event_elapsed(start, end, &seconds));
  CHECK(close(seconds, expected));
}

TEST(event_recorded_again_moves) {
  const Session session;
  const Stream stream(session);
  const Event start(session), end(session);
  CHECK_OK(driver().event_record(start, stream));
  CHECK_OK(driver().event_record(end, stream));
  const double expected = work(stream, 1000);
  CHECK_OK(driver().event_record(end, stream));
  CHECK_OK(driver().event_synchronize(end));
  double seconds = -1;
  CHECK_OK(driver().event_elapsed(start, end, &seconds));
  CHECK(close(seconds, expected));
}

TEST(event_waited_for_moves_the_clock_up) {
  const Session session;
  const Stream first(session), second(session);
  const Event event(session);
  const double first_work = work(first, 100000);
  CHECK_OK(driver().event_record(event, first));
  const double second_work = work(second, 10);
  CHECK_OK(driver().stream_wait_event(second, event));
  CHECK(close(second.clock(), std::max(first_work, second_work)));
  const double later = work(second, 1000);
  CHECK(close(second.clock(), std::max(first_work, second_work) + later));
  CHECK_OK(driver().stream_wait_event(second, event));  // long over: the clock does not go back
  CHECK(close(second.clock(), std::max(first_work, second_work) + later));
}

TEST(event_destroyed_still_holds_back_who_waits_for_it) {
  const Session session;
  const Stream first(session), second(session);
  const std::vector<uint8_t> bytes(4 << 20, 9);
  const Values<uint8_t> values(session, first, std::vector<uint8_t>(bytes.size()));
  std::vector<uint8_t> got(bytes.size());
  CHECK_OK(driver().copy_to_device(first, values.address(), bytes.data(), bytes.size(), nullptr));
  {
    const Event event(session);
    CHECK_OK(driver().event_record(event, first));
    CHECK_OK(driver().stream_wait_event(second, event));
  }
  CHECK_OK(driver().copy_to_host(second, got.data(), values.address(), got.size(), nullptr));
  second.synchronize();
  CHECK(got == bytes);
}

TEST(event_orders_streams_of_two_devices) {
  const Session session(2);
  const Stream first(session, 0), second(session, 1);
  const Event event(session, 0);
  const Values<uint32_t> there(session, first, std::vector<uint32_t>(1000), 0);
  const Values<uint32_t> here(session, second, std::vector<uint32_t>(1000), 1);
  std::vector<uint32_t> ones(1000, 1);
  CHECK_OK(driver().copy_to_device(first, there.address(), ones.data(), 4000, nullptr));
  CHECK_OK(driver().event_record(event, first));
  CHECK_OK(driver().stream_wait_event(second, event));
  CHECK_OK(driver().copy_on_device(second, here.address(), there.address(), 4000, nullptr));
  CHECK(here.read(second) == ones);
}

TEST(event_belongs_to_its_device) {
  const Session session(2);
  const Stream first(session, 0), second(session, 1);
  const Event event(session, 0), other(session, 1);
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().event_record(event, second));
  CHECK_OK(driver().event_record(event, first));
  CHECK_OK(driver().event_record(other, second));
  double seconds = 0;
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().event_elapsed(event, other, &seconds));
}

}  // namespace
}  // namespace sidra::conformance
