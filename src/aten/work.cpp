#include "aten/work.h"

#include "runtime/driver_loader.h"
#include "runtime/error.h"
#include "runtime/stream.h"
#include "runtime/submission.h"

namespace sidra::aten {
namespace {

// An online softmax: maximum, subtract, sum, scale.
constexpr uint64_t kSoftmaxOperations = 4;

void set_work(const Placement& placement, const Work& work, sidra_work_args& args) {
  switch (placement.rule) {
    case WorkRule::kElements:
      args.alu_operations = work.elements * placement.alu_operations;
      args.lookups = work.elements * placement.lookups;
      break;
    case WorkRule::kProduct:
      args.alu_operations = work.multiply_adds;
      break;
    case WorkRule::kAttention:
      args.alu_operations = work.multiply_adds + work.softmax_elements * kSoftmaxOperations;
      args.lookups = work.softmax_elements;
      break;
    case WorkRule::kGather:
      args.bytes_read = work.bytes_written;
      break;
    case WorkRule::kMove:
    case WorkRule::kNone:
      break;
  }
}

}  // namespace

void account(const OperatorInfo& info, c10::Device device, const Work& work) {
  if (!info.placement.on_host && info.placement.rule == WorkRule::kNone) return;
  sidra_work_args args{};
  args.struct_size = sizeof(args);
  args.place = info.placement.on_host ? SIDRA_PLACE_HOST : SIDRA_PLACE_ENGINE;
  args.bytes_read = work.bytes_read;
  args.bytes_written = work.bytes_written;
  set_work(info.placement, work, args);
  const runtime::Submission submission(info.line, device.index());
  SIDRA_CHECK(
      runtime::driver().table->account_work(runtime::current_stream_handle(device.index()), &args),
      info.name);
  const uint64_t moved = info.placement.on_host ? work.bytes_read + work.bytes_written : 0;
  submission.book(args.cost, moved, work.bytes_copied);
}

}  // namespace sidra::aten
