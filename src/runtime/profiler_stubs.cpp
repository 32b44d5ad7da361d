// The profiler's marks without Kineto's activities, as
// torch.autograd.profiler.profile(use_device="sidra", use_kineto=False) takes them: an event of the
// current stream at the start and at the end of each operator. Chip time between the two counts.
#include <c10/core/DeviceGuard.h>
#include <c10/util/ApproximateClock.h>
#include <torch/csrc/profiler/stubs/base.h>

#include "runtime/device.h"
#include "runtime/event.h"
#include "runtime/stream.h"

namespace sidra::runtime {
namespace {

using torch::profiler::impl::ProfilerVoidEventStub;

constexpr double kMicrosecondsPerMillisecond = 1e3;

sidra_event* event_of(const ProfilerVoidEventStub* mark) {
  return static_cast<sidra_event*>(mark->get());
}

class SidraStubs final : public torch::profiler::impl::ProfilerStubs {
 public:
  // A profile of code that never touches the device does not open it, and has no marks.
  void record(c10::DeviceIndex* device, ProfilerVoidEventStub* mark,
              int64_t* cpu_nanoseconds) const override {
    if (cpu_nanoseconds) *cpu_nanoseconds = c10::getTime();
    if (device) *device = current_device();
    if (!is_initialized()) return;
    sidra_event* event = nullptr;
    record_event(&event, current_stream(-1), -1);
    *mark = ProfilerVoidEventStub(
        event, [](void* held) { destroy_event(static_cast<sidra_event*>(held)); });
  }

  float elapsed(const ProfilerVoidEventStub* start,
                const ProfilerVoidEventStub* end) const override {
    synchronize_event(event_of(start));
    synchronize_event(event_of(end));
    const double milliseconds = elapsed_milliseconds(event_of(start), event_of(end));
    return static_cast<float>(milliseconds * kMicrosecondsPerMillisecond);
  }

  // Ranges for a tool that watches from outside. There is none, and nobody is promised one: what
  // asks for it (ProfilerState.PRIVATEUSE1) is refused.
  void mark(const char*) const override {}
  void rangePush(const char*) const override {}
  void rangePop() const override {}

  bool enabled() const override { return true; }

  void onEachDevice(std::function<void(int)> visit) const override {
    if (!is_initialized()) return;
    for (c10::DeviceIndex index = 0; index < device_count(); ++index) {
      const c10::DeviceGuard guard(c10::Device(kDeviceType, index));
      visit(index);
    }
  }

  void synchronize() const override {
    if (is_initialized()) synchronize_device(-1);
  }
};

[[maybe_unused]] const bool registered = [] {
  static SidraStubs stubs;
  torch::profiler::impl::registerPrivateUse1Methods(&stubs);
  return true;
}();

}  // namespace
}  // namespace sidra::runtime
