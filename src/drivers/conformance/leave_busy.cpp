#include "drivers/conformance/leave_busy.h"

#include "drivers/conformance/matrix.h"

namespace sidra::conformance {

void leave_busy() {
  // Never destroyed: who leaves a process does not tidy up.
  const auto& session = *new Session;
  const auto& first = *new Stream(session);
  const auto& second = *new Stream(session);
  const auto& event = *new Event(session);
  const Problem problem({64, 64, 64});
  const Shape& shape = problem.shape;
  const auto& values = *new Values<float>(session, first, problem.weight);
  const auto& input = *new Values<float>(session, first, problem.input);
  const auto& output =
      *new Values<float>(session, first, std::vector<float>(shape.vectors * shape.outputs));
  auto small = program_args(values.address(), {8, 8, 0});
  CHECK_OK(driver().weight_program(first, &small));
  for (int i = 0; i < 10000; ++i) {
    auto mvm = mvm_args(small.weight, {8, 8, 64}, input.address(), output.address());
    CHECK_OK(driver().mvm(first, &mvm));
  }
  CHECK_OK(driver().event_record(event, first));
  CHECK_OK(driver().stream_wait_event(second, event));
  for (int i = 0; i < 100; ++i) {
    CHECK_OK(driver().copy_on_device(second, output.address(), input.address(), 4096, nullptr));
  }
}

}  // namespace sidra::conformance
