#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <c10/util/SmallVector.h>

#include <atomic>

#include "executable/step.h"
#include "runtime/driver_loader.h"
#include "runtime/error.h"
#include "runtime/stream.h"
#include "runtime/submission.h"

namespace sidra::executable {

KernelStep::KernelStep(const std::string& name, KernelFunction function, std::vector<Place> buffers,
                       std::vector<int64_t> symbols, int64_t extent, int64_t grain,
                       const KernelWork& work)
    : name_(name),
      function_(function),
      buffers_(std::move(buffers)),
      symbols_(std::move(symbols)),
      extent_(extent),
      grain_(std::max<int64_t>(1, grain)),
      work_(work),
      line_(runtime::ledger_line("sidra::" + name, runtime::Place::kEngine, "")) {}

void KernelStep::run(Frame& frame, c10::DeviceIndex device) const {
  runtime::wait_for_current_stream(device);
  c10::SmallVector<void*, 16> addresses;
  for (const Place& place : buffers_) addresses.push_back(frame.address(place));
  const runtime::Submission submission(line_, device);
  std::atomic<int32_t> outside{0};
  const auto part = [&](int64_t begin, int64_t end) {
    if (function_(addresses.data(), symbols_.data(), begin, end) != 0) outside = 1;
  };
  if (extent_ <= grain_) {
    if (extent_ > 0) part(0, extent_);
  } else {
    at::parallel_for(0, extent_, grain_, part);
  }
  if (outside != 0) {
    TORCH_CHECK_INDEX(false, "index out of range in the compiled kernel ", name_);
  }
  sidra_work_args args{};
  args.struct_size = sizeof(args);
  args.place = SIDRA_PLACE_ENGINE;
  args.alu_operations = work_.alu_operations;
  args.lookups = work_.lookups;
  args.bytes_read = work_.bytes_read;
  args.bytes_written = work_.bytes_written;
  SIDRA_CHECK(runtime::driver().table->account_work(runtime::current_stream_handle(device), &args),
              name_);
  submission.book(args.cost, 0);
}

}  // namespace sidra::executable
