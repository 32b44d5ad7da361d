// What DistributedDataParallel's logging asks of a device: the time between two marks of a step. It
// is host time, for gradients are exchanged by the host.
#include <torch/csrc/distributed/c10d/reducer_timer.hpp>

namespace c10d {
namespace {

class StagedTimer final : public Timer {
 public:
  explicit StagedTimer(c10::Device) {}

  std::optional<int64_t> measureDifference(Event start, Event end) override {
    const int64_t from = getTimeRef(start);
    const int64_t to = getTimeRef(end);
    if (from == kUnsetTime || to == kUnsetTime || to < from) return std::nullopt;
    return to - from;
  }
};

C10_REGISTER_TYPED_CLASS(TimerRegistry, c10::kPrivateUse1, StagedTimer)

}  // namespace
}  // namespace c10d
