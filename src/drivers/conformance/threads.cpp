// Several host threads at once: no crash, no lost count, the same products as alone.
#include <atomic>
#include <functional>
#include <thread>

#include "drivers/conformance/matrix.h"

namespace sidra::conformance {
namespace {

constexpr int kThreads = 4;

// Runs `body` on four threads; the first failure becomes the test's.
void together(const std::function<void(int)>& body) {
  std::vector<std::string> failures(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      try {
        body(i);
      } catch (const std::exception& error) {
        failures[static_cast<size_t>(i)] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& failure : failures) {
    if (!failure.empty()) throw std::runtime_error(failure);
  }
}

TEST(threads_allocate_copy_and_free) {
  const Session session;
  const uint64_t before = session.free_bytes();
  together([&](int thread) {
    const Stream stream(session);
    for (uint32_t i = 0; i < 100; ++i) {
      const std::vector<uint32_t> data(256 + i, static_cast<uint32_t>(thread) * 1000 + i);
      const Values<uint32_t> values(session, stream, data);
      CHECK(values.read(stream) == data);
    }
  });
  CHECK_EQ(session.free_bytes(), before);
}

TEST(threads_program_multiply_and_free) {
  const Session session(2);
  together([&](int thread) {
    const int32_t device = thread % 2;
    const Stream stream(session, device);
    const Problem problem({8, 8, 4}, static_cast<uint32_t>(thread));
    const Bound bound(problem, session.properties());
    const Values<float> values(session, stream, problem.weight, device);
    const Values<float> ranges(session, stream, bound.full_scales(), device);
    const Values<float> input(session, stream, problem.input, device);
    const Values<float> output(session, stream, std::vector<float>(32), device);
    for (int i = 0; i < 50; ++i) {
      auto program = program_args(values.address(), problem.shape);
      program.full_scales = ranges.address();
      const Weight weight(stream, program);
      auto mvm = mvm_args(weight, problem.shape, input.address(), output.address());
      CHECK_OK(driver().mvm(stream, &mvm));
      const std::vector<float> got = output.read(stream);
      if (!session.has(SIDRA_DEVICE_COMPUTES_NOTHING)) bound.check(got);
    }
  });
  CHECK_EQ(session.counters(0).crossbars_used, 0u);
  CHECK_EQ(session.counters(1).crossbars_used, 0u);
}

TEST(threads_share_a_weight) {
  const Session session;
  const Stream first(session);
  const Problem problem({8, 8, 4});
  const Bound bound(problem, session.properties());
  const Values<float> values(session, first, problem.weight);
  const Values<float> ranges(session, first, bound.full_scales());
  const Values<float> input(session, first, problem.input);
  auto program = program_args(values.address(), problem.shape);
  program.full_scales = ranges.address();
  const Weight weight(first, program);
  first.synchronize();
  const uint64_t mvms = session.counters().mvms;
  together([&](int) {
    const Stream stream(session);
    const Values<float> output(session, stream, std::vector<float>(32));
    for (int i = 0; i < 100; ++i) {
      auto mvm = mvm_args(weight, problem.shape, input.address(), output.address());
      CHECK_OK(driver().mvm(stream, &mvm));
    }
    const std::vector<float> got = output.read(stream);
    if (!session.has(SIDRA_DEVICE_COMPUTES_NOTHING)) bound.check(got);
  });
  if (session.has(SIDRA_DEVICE_COMPUTES_NOTHING)) return;
  CHECK_EQ(session.counters().mvms - mvms, uint64_t{kThreads * 100 * 4} * weight.info().crossbars);
}

TEST(threads_see_counters_that_only_grow) {
  const Session session;
  const Stream stream(session);
  std::atomic<int> working{kThreads - 1};
  together([&](int thread) {
    double seconds = 0;
    while (thread == 0 && working > 0) {
      const double now = session.counters().engine_seconds;
      CHECK(now >= seconds);
      seconds = now;
    }
    if (thread == 0) return;
    for (int i = 0; i < 50; ++i) {
      const Stream own(session);
      auto work = sized<sidra_work_args>();
      work.alu_operations = 1000;
      for (int j = 0; j < 20; ++j) {
        CHECK_OK(driver().account_work(j % 2 == 0 ? stream : own, &work));
      }
    }
    --working;
  });
  stream.synchronize();
}

TEST(threads_wait_for_one_anothers_events) {
  const Session session;
  const Stream first(session), second(session);
  const Event to_second(session), to_first(session);
  const Values<uint32_t> ball(session, first, {0});
  for (uint32_t i = 1; i <= 100; ++i) {
    uint32_t got = 0;
    CHECK_OK(driver().copy_to_device(first, ball.address(), &i, sizeof(i), nullptr));
    CHECK_OK(driver().event_record(to_second, first));
    CHECK_OK(driver().stream_wait_event(second, to_second));
    CHECK_OK(driver().copy_to_host(second, &got, ball.address(), sizeof(got), nullptr));
    CHECK_OK(driver().event_record(to_first, second));
    CHECK_OK(driver().stream_wait_event(first, to_first));
    CHECK_OK(driver().event_synchronize(to_first));
    CHECK_EQ(got, i);
  }
}

TEST(threads_have_their_own_last_error) {
  const Session session;
  together([&](int thread) {
    const std::string key = "unknown_key_" + std::to_string(thread);
    const std::string config = key + "=1\n";
    for (int i = 0; i < 50; ++i) {
      auto args = sized<sidra_instance_create_args>();
      args.config = config.c_str();
      CHECK_EQ(driver().instance_create(&args), SIDRA_STATUS_INVALID_ARGUMENT);
      CHECK(std::string(driver().last_error()).find(key) != std::string::npos);
    }
  });
}

}  // namespace
}  // namespace sidra::conformance
