#include "runtime/transfer.h"

#include "runtime/driver_loader.h"
#include "runtime/error.h"
#include "runtime/ledger.h"
#include "runtime/stream.h"
#include "runtime/submission.h"

namespace sidra::runtime {
namespace {

std::string describe(const char* what, uint64_t bytes, c10::DeviceIndex device) {
  return std::string(what) + " " + std::to_string(bytes) +
         " bytes (sidra:" + std::to_string(device) + ")";
}

}  // namespace

void copy_to_device(c10::DeviceIndex device, uint64_t destination, const void* source,
                    uint64_t bytes, bool non_blocking) {
  if (bytes == 0) return;
  static LedgerLine* const line = ledger_line("sidra::copy_to_device", Place::kHost, "");
  const Submission submission(line, device, RecordKind::kCopy);
  sidra_cost cost{};
  SIDRA_CHECK(driver().table->copy_to_device(current_stream_handle(device), destination, source,
                                             bytes, &cost),
              describe("copying to the device", bytes, device));
  submission.book(cost, bytes);
  if (!non_blocking) wait_for_current_stream(device);
}

void copy_to_host(c10::DeviceIndex device, void* destination, uint64_t source, uint64_t bytes,
                  bool non_blocking) {
  if (bytes == 0) return;
  static LedgerLine* const line = ledger_line("sidra::copy_to_host", Place::kHost, "");
  const Submission submission(line, device, RecordKind::kCopy);
  sidra_cost cost{};
  SIDRA_CHECK(driver().table->copy_to_host(current_stream_handle(device), destination, source,
                                           bytes, &cost),
              describe("copying to the host", bytes, device));
  submission.book(cost, bytes);
  if (!non_blocking) wait_for_current_stream(device);
}

void copy_on_device(c10::DeviceIndex device, uint64_t destination, uint64_t source,
                    uint64_t bytes) {
  if (bytes == 0) return;
  static LedgerLine* const line = ledger_line("sidra::copy_on_device", Place::kEngine, "");
  const Submission submission(line, device, RecordKind::kCopy);
  sidra_cost cost{};
  SIDRA_CHECK(driver().table->copy_on_device(current_stream_handle(device), destination, source,
                                             bytes, &cost),
              describe("copying on the device", bytes, device));
  submission.book(cost, 0);
}

}  // namespace sidra::runtime
