// One profile, as Kineto sees it: records in, activities out.
//
// Each command becomes two activities. `sidra::submit` on the host thread says when the driver took
// it; the command itself lies on the track of its stream, for as long as the chip needs. An arrow
// joins them, and both are linked to the operator they belong to. A named range becomes an
// annotation above the commands that were submitted inside it.
#pragma once

#include <IActivityProfiler.h>
#include <libkineto.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/profiler_record.h"
#include "runtime/profiler_timeline.h"

namespace sidra::runtime {

class ProfilerSession final : public libkineto::IActivityProfilerSession {
 public:
  ProfilerSession() = default;
  ~ProfilerSession() override;

  void start() override;
  void stop() override;
  std::vector<std::string> errors() override { return {}; }

  void processTrace(libkineto::ActivityLogger& logger) override;
  void processTrace(libkineto::ActivityLogger& logger, libkineto::getLinkedActivityCallback link,
                    int64_t start, int64_t end) override;

  // Kineto asks for one device and then leaves out its own list of GPUs, whose ids ours share. All
  // devices and streams are announced in processTrace.
  std::unique_ptr<libkineto::DeviceInfo> getDeviceInfo() override;
  std::vector<libkineto::ResourceInfo> getResourceInfos() override { return {}; }
  std::unique_ptr<libkineto::CpuTraceBuffer> getTraceBuffer() override;

  void pushCorrelationId(uint64_t id) override { profiler_push_operator(id); }
  void popCorrelationId() override { profiler_pop_operator(); }
  void pushUserCorrelationId(uint64_t id) override { profiler_push_range(id); }
  void popUserCorrelationId() override { profiler_pop_range(); }

 private:
  using StreamKey = std::pair<c10::DeviceIndex, c10::StreamId>;

  void add_command(const ProfilerRecord& record, const libkineto::getLinkedActivityCallback& link);
  void add_submission(const ProfilerRecord& record, const libkineto::ITraceActivity* operation);
  void extend_ranges(const ProfilerRecord& record, const ChipInterval& interval);
  void add_ranges(const libkineto::getLinkedActivityCallback& link);
  void announce_tracks(libkineto::ActivityLogger& logger, int64_t time) const;
  libkineto::GenericTraceActivity& add(libkineto::ActivityType type, const std::string& name);

  uint64_t profile_ = 0;  // while it records
  std::vector<ProfilerRecord> records_;
  ProfilerTimeline timeline_;
  int32_t next_id_ = 0;
  std::map<std::pair<StreamKey, uint64_t>, ChipInterval> ranges_;
  std::set<StreamKey> streams_;
  std::unique_ptr<libkineto::CpuTraceBuffer> buffer_;
};

}  // namespace sidra::runtime
