#include "drivers/conformance/leave_busy.h"

#include "drivers/conformance/matrix.h"

namespace sidra::conformance {

namespace {

constexpr Shape kShape = {8, 8, 64};

struct Busy {
  const Problem problem{kShape};
  const Session session;
  const Stream first{session}, second{session};
  const Event event{session};
  const Values<float> values{session, first, problem.weight};
  const Values<float> input{session, first, problem.input};
  const Values<float> output{session, first, std::vector<float>(problem.input.size())};
  const Weight weight{first, program_args(values.address(), kShape)};
};

}  // namespace

void leave_busy() {
  static const Busy& busy = *new Busy;  // who leaves a process does not tidy up
  for (int i = 0; i < 10000; ++i) {
    auto mvm = mvm_args(busy.weight, kShape, busy.input.address(), busy.output.address());
    CHECK_OK(driver().mvm(busy.first, &mvm));
  }
  CHECK_OK(driver().event_record(busy.event, busy.first));
  CHECK_OK(driver().stream_wait_event(busy.second, busy.event));
  for (int i = 0; i < 100; ++i) {
    CHECK_OK(driver().copy_on_device(busy.second, busy.output.address(), busy.input.address(), 2048,
                                     nullptr));
  }
}

}  // namespace sidra::conformance
