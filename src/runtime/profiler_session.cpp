#include "runtime/profiler_session.h"

#include <ThreadUtil.h>
#include <output_base.h>

#include <algorithm>

namespace sidra::runtime {
namespace {

using libkineto::ActivityType;
using libkineto::GenericTraceActivity;
using libkineto::ITraceActivity;

// Ids of commands: far from those of operators, which PyTorch counts from 1.
constexpr int32_t kFirstId = 1 << 30;

std::string place_of(const ProfilerRecord& record) {
  const bool crosses = record.kind == RecordKind::kCopy && record.bytes_moved > 0;
  return crosses ? "link" : place_name(ledger_key(record.line).place);
}

ActivityType type_of(const ProfilerRecord& record) {
  return record.kind == RecordKind::kCopy ? ActivityType::GPU_MEMCPY
                                          : ActivityType::CONCURRENT_KERNEL;
}

// Doubles as JSON numbers with all their digits.
std::string number(double value) { return fmt::format("{}", value); }

void describe(const ProfilerRecord& record, GenericTraceActivity& activity) {
  activity.addMetadataQuoted("place", place_of(record));
  activity.addMetadata("device", static_cast<int>(record.device));
  activity.addMetadata("stream", record.stream);
  activity.addMetadata("correlation", activity.id);
  activity.addMetadata("chip_seconds", number(record.cost.chip_seconds));
  activity.addMetadata("joules", number(record.cost.joules));
  activity.addMetadata("datasheet_joules", number(record.cost.datasheet_joules));
  if (record.bytes_moved > 0) activity.addMetadata("bytes", record.bytes_moved);
  const std::string& reason = ledger_key(record.line).reason;
  if (!reason.empty()) activity.addMetadataQuoted("fallback", reason);
}

libkineto::DeviceInfo describe_device(c10::DeviceIndex device) {
  const std::string name = "sidra:" + std::to_string(device);
  return {device, device + libkineto::kExceedMaxPid, name, name + " (chip time)"};
}

void set_flow(GenericTraceActivity& activity, bool start) {
  activity.flow.id = static_cast<uint32_t>(activity.id);
  activity.flow.type = libkineto::kLinkAsyncCpuGpu;
  activity.flow.start = start;
}

}  // namespace

ProfilerSession::~ProfilerSession() {
  if (profile_ != 0) profiler_stop_recording(profile_);
}

void ProfilerSession::start() {
  profile_ = profiler_start_recording();
  status_ = libkineto::TraceStatus::RECORDING;
}

void ProfilerSession::stop() {
  if (profile_ == 0) return;
  records_ = profiler_stop_recording(profile_);
  profile_ = 0;
  status_ = libkineto::TraceStatus::PROCESSING;
}

void ProfilerSession::processTrace(libkineto::ActivityLogger& logger) {
  processTrace(logger, [](int32_t) { return nullptr; }, 0, 0);
}

void ProfilerSession::processTrace(libkineto::ActivityLogger& logger,
                                   libkineto::getLinkedActivityCallback link, int64_t start,
                                   int64_t end) {
  buffer_ = std::make_unique<libkineto::CpuTraceBuffer>();
  buffer_->span = libkineto::TraceSpan(start, end, "sidra");
  buffer_->gpuOpCount = 0;
  for (const ProfilerRecord& record : records_) {
    if (record.kind == RecordKind::kEvent) {
      timeline_.place_event(record);
    } else if (record.kind == RecordKind::kWait) {
      timeline_.place_wait(record);
    } else {
      add_command(record, link);
    }
  }
  records_.clear();
  add_ranges(link);
  announce_tracks(logger, start);
  for (const auto& activity : buffer_->activities) activity->log(logger);
}

GenericTraceActivity& ProfilerSession::add(ActivityType type, const std::string& name) {
  buffer_->emplace_activity(buffer_->span, type, name);
  return *buffer_->activities.back();
}

void ProfilerSession::add_command(const ProfilerRecord& record,
                                  const libkineto::getLinkedActivityCallback& link) {
  const ITraceActivity* const operation =
      record.correlation == 0 ? nullptr : link(static_cast<int32_t>(record.correlation));
  const ChipInterval interval = timeline_.place_command(record);
  ++next_id_;
  add_submission(record, operation);
  GenericTraceActivity& command =
      add(type_of(record), ledger_key(record.line).operator_name + " (" + place_of(record) + ")");
  command.startTime = interval.start;
  command.endTime = interval.end;
  command.id = kFirstId + next_id_;
  command.device = record.device;
  command.resource = static_cast<int32_t>(record.stream);
  command.linked = operation;
  set_flow(command, /*start=*/false);
  describe(record, command);
  ++buffer_->gpuOpCount;
  streams_.insert({record.device, record.stream});
  extend_ranges(record, interval);
}

void ProfilerSession::add_submission(const ProfilerRecord& record,
                                     const ITraceActivity* operation) {
  GenericTraceActivity& submission = add(ActivityType::PRIVATEUSE1_RUNTIME, "sidra::submit");
  submission.startTime = record.host_start_nanoseconds;
  submission.endTime = record.host_end_nanoseconds;
  submission.id = kFirstId + next_id_;
  submission.device = libkineto::processId();
  submission.resource = record.host_thread;
  submission.threadId = record.host_thread;
  submission.linked = operation;
  submission.addMetadata("correlation", submission.id);
  set_flow(submission, /*start=*/true);
}

void ProfilerSession::extend_ranges(const ProfilerRecord& record, const ChipInterval& interval) {
  for (const uint64_t annotation : record.annotations) {
    const StreamKey stream{record.device, record.stream};
    const auto [range, added] = ranges_.try_emplace({stream, annotation}, interval);
    if (!added) range->second.end = std::max(range->second.end, interval.end);
  }
}

void ProfilerSession::add_ranges(const libkineto::getLinkedActivityCallback& link) {
  for (const auto& [key, interval] : ranges_) {
    const auto& [stream, annotation] = key;
    const ITraceActivity* const range = link(static_cast<int32_t>(annotation));
    if (range == nullptr) continue;  // it was still open when the profile ended
    GenericTraceActivity& activity = add(ActivityType::GPU_USER_ANNOTATION, range->name());
    activity.startTime = interval.start;
    activity.endTime = interval.end;
    // Not linked: the commands are, and their time would count twice.
    activity.id = static_cast<int32_t>(annotation);
    activity.device = stream.first;
    activity.resource = static_cast<int32_t>(stream.second);
  }
}

void ProfilerSession::announce_tracks(libkineto::ActivityLogger& logger, int64_t time) const {
  for (const auto& [device, stream] : streams_) {
    logger.handleDeviceInfo(describe_device(device), time);
    logger.handleResourceInfo(
        {stream, stream, device, "stream " + std::to_string(stream) + " (chip time)"}, time);
  }
}

std::unique_ptr<libkineto::DeviceInfo> ProfilerSession::getDeviceInfo() {
  if (streams_.empty()) return nullptr;
  return std::make_unique<libkineto::DeviceInfo>(describe_device(streams_.begin()->first));
}

std::unique_ptr<libkineto::CpuTraceBuffer> ProfilerSession::getTraceBuffer() {
  return std::move(buffer_);
}

}  // namespace sidra::runtime
