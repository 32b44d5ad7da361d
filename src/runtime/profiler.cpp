// The chip's door to torch.profiler: Kineto asks it for a session whenever a profile with device
// activities begins.
#include <torch/csrc/profiler/standalone/privateuse1_observer.h>
#include <torch/csrc/profiler/standalone/privateuse1_profiler.h>

#include "runtime/error.h"
#include "runtime/profiler_session.h"

namespace sidra::runtime {
namespace {

using libkineto::ActivityType;
using Session = std::unique_ptr<libkineto::IActivityProfilerSession>;

class SidraProfiler final : public libkineto::IActivityProfiler {
 public:
  const std::string& name() const override { return name_; }
  const std::set<ActivityType>& availableActivities() const override { return activities_; }

  Session configure(const std::set<ActivityType>& asked, const libkineto::Config&) override {
    const bool device_wanted = asked.count(ActivityType::CONCURRENT_KERNEL) > 0;
    return device_wanted ? std::make_unique<ProfilerSession>() : nullptr;
  }
  Session configure(int64_t, int64_t, const std::set<ActivityType>& asked,
                    const libkineto::Config& config) override {
    return configure(asked, config);
  }

 private:
  const std::string name_ = "sidra";
  const std::set<ActivityType> activities_{
      ActivityType::CONCURRENT_KERNEL, ActivityType::GPU_MEMCPY, ActivityType::GPU_USER_ANNOTATION,
      ActivityType::PRIVATEUSE1_RUNTIME};
};

// ProfilerState.PRIVATEUSE1 is what emit_nvtx is to CUDA: ranges for a tool that watches from
// outside. Without an observer PyTorch would call a null pointer.
void refuse_observer(const torch::profiler::impl::ProfilerConfig&,
                     const std::unordered_set<at::RecordScope>&) {
  raise(ErrorKind::kRuntime,
        "ProfilerState.PRIVATEUSE1 emits ranges for an outside tool, and sidra has none; use "
        "torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.SIDRA])");
}

using namespace torch::profiler::impl;  // the macros name its types
REGISTER_PRIVATEUSE1_PROFILER(SidraProfiler);
REGISTER_PRIVATEUSE1_OBSERVER(refuse_observer)

}  // namespace
}  // namespace sidra::runtime
