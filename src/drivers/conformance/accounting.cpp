// Work that the host does in the chip's stead, and the counters.
#include <cmath>

#include "drivers/conformance/matrix.h"

namespace sidra::conformance {
namespace {

sidra_cost cost_of(sidra_stream* stream, sidra_place place, uint64_t alu, uint64_t lookups,
                   uint64_t bytes) {
  auto args = sized<sidra_work_args>();
  args.place = place;
  args.alu_operations = alu;
  args.lookups = lookups;
  args.bytes_read = args.bytes_written = bytes;
  CHECK_OK(driver().account_work(stream, &args));
  return args.cost;
}

void check_sane(const sidra_cost& cost) {
  CHECK(std::isfinite(cost.chip_seconds) && cost.chip_seconds >= 0);
  CHECK(std::isfinite(cost.joules) && cost.joules >= 0);
  CHECK(std::isfinite(cost.datasheet_joules) && cost.datasheet_joules >= 0);
}

TEST(work_costs_are_finite_and_not_negative) {
  const Session session;
  const Stream stream(session);
  for (const sidra_place place : {SIDRA_PLACE_ENGINE, SIDRA_PLACE_HOST}) {
    for (const uint64_t amount : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 40}) {
      check_sane(cost_of(stream, place, amount, amount, amount));
    }
  }
  stream.synchronize();
}

TEST(work_costs_more_when_there_is_more) {
  const Session session;
  SKIP_IF(session.has(SIDRA_DEVICE_COMPUTES_NOTHING), "the device computes nothing");
  const Stream stream(session);
  const auto more = [](const sidra_cost& a, const sidra_cost& b) {
    CHECK(b.chip_seconds > a.chip_seconds && b.joules > a.joules);
    CHECK(b.datasheet_joules > a.datasheet_joules);
  };
  more(cost_of(stream, SIDRA_PLACE_ENGINE, 1000, 0, 0),
       cost_of(stream, SIDRA_PLACE_ENGINE, 100000, 0, 0));
  more(cost_of(stream, SIDRA_PLACE_ENGINE, 0, 1000, 0),
       cost_of(stream, SIDRA_PLACE_ENGINE, 0, 100000, 0));
  more(cost_of(stream, SIDRA_PLACE_ENGINE, 0, 0, 1000),
       cost_of(stream, SIDRA_PLACE_ENGINE, 0, 0, 100000));
  more(cost_of(stream, SIDRA_PLACE_HOST, 0, 0, 1000),
       cost_of(stream, SIDRA_PLACE_HOST, 0, 0, 100000));
  more(cost_of(stream, SIDRA_PLACE_ENGINE, 0, 0, 100000),
       cost_of(stream, SIDRA_PLACE_HOST, 0, 0, 100000));
  stream.synchronize();
}

TEST(work_of_nothing_on_the_engines_costs_nothing) {
  const Session session;
  const Stream stream(session);
  const sidra_cost cost = cost_of(stream, SIDRA_PLACE_ENGINE, 0, 0, 0);
  CHECK_EQ(cost.chip_seconds, 0.0);
  CHECK_EQ(cost.joules, 0.0);
}

TEST(work_at_no_known_place_is_refused) {
  const Session session;
  const Stream stream(session);
  auto args = sized<sidra_work_args>();
  args.place = static_cast<sidra_place>(77);
  CHECK_FAILS_IN(stream, SIDRA_STATUS_INVALID_ARGUMENT, driver().account_work(stream, &args));
  CHECK_FAILS(SIDRA_STATUS_INVALID_ARGUMENT, driver().account_work(nullptr, &args));
}

TEST(counters_see_products_and_work) {
  const Session session;
  SKIP_IF(session.has(SIDRA_DEVICE_COMPUTES_NOTHING), "the device computes nothing");
  const Stream stream(session);
  const sidra_device_properties chip = session.properties();
  const Problem problem({chip.crossbar_columns + 1, chip.crossbar_rows, 3});
  const Values<float> values(session, stream, problem.weight);
  const Values<float> input(session, stream, problem.input);
  const Values<float> output(session, stream,
                             std::vector<float>(problem.shape.outputs * problem.shape.vectors));
  const Weight weight(stream, program_args(values.address(), problem.shape));
  auto mvm = mvm_args(weight, problem.shape, input.address(), output.address());
  CHECK_OK(driver().mvm(stream, &mvm));
  stream.synchronize();
  const sidra_counters counters = session.counters();
  CHECK_EQ(counters.mvms, uint64_t{2 * 3});
  CHECK(counters.mvm_seconds > 0 && counters.array_joules > 0);
  CHECK(counters.programming_seconds > 0 && counters.programming_joules > 0);
  CHECK(counters.transfer_seconds > 0 && counters.link_joules > 0);
  check_sane(mvm.cost);
  CHECK(mvm.cost.chip_seconds > 0 && mvm.cost.joules > 0 && mvm.cost.datasheet_joules > 0);
}

// The parts add up: counters' seconds to the clock, counters' joules to the costs returned.
TEST(counters_add_up_to_the_costs) {
  const Session session;
  const Stream stream(session);
  const Problem problem({4, 4, 8});
  const Values<float> values(session, stream, problem.weight);
  const Values<float> operands(session, stream, std::vector<float>(64));
  const auto seconds = [&] {
    const sidra_counters c = session.counters();
    return c.mvm_seconds + c.engine_seconds + c.programming_seconds + c.transfer_seconds;
  };
  const auto joules = [&] {
    const sidra_counters c = session.counters();
    return c.array_joules + c.dac_joules + c.adc_joules + c.engine_joules + c.memory_joules +
           c.link_joules + c.programming_joules + c.static_joules;
  };
  const double seconds_before = seconds(), joules_before = joules();
  const Weight weight(stream, program_args(values.address(), problem.shape));
  auto mvm = mvm_args(weight, problem.shape, operands.address(), operands.address(32));
  CHECK_OK(driver().mvm(stream, &mvm));
  const sidra_cost engine = cost_of(stream, SIDRA_PLACE_ENGINE, 1000, 100, 4000);
  const sidra_cost host = cost_of(stream, SIDRA_PLACE_HOST, 1000, 100, 4000);
  const double clock = stream.clock();
  double cost_seconds = 0, cost_joules = 0;
  for (const sidra_cost& cost : {weight.programmed().cost, mvm.cost, engine, host}) {
    cost_seconds += cost.chip_seconds;
    cost_joules += cost.joules;
  }
  const auto close = [](double a, double b) { return std::fabs(a - b) <= 1e-9 * std::fabs(b); };
  CHECK(close(seconds() - seconds_before, cost_seconds));
  CHECK(close(joules() - joules_before, cost_joules));
  CHECK(close(seconds(), clock));
}

TEST(counters_outlive_their_stream) {
  const Session session;
  SKIP_IF(session.has(SIDRA_DEVICE_COMPUTES_NOTHING), "the device computes nothing");
  {
    const Stream stream(session);
    cost_of(stream, SIDRA_PLACE_ENGINE, 1000, 0, 0);
  }
  CHECK(session.counters().engine_seconds > 0);
}

}  // namespace
}  // namespace sidra::conformance
