// What a call of the driver must return.
#pragma once

#include <string>
#include <thread>

#include "sidra/driver.h"
#include "testing/check.h"

namespace sidra::conformance {

const sidra_driver& driver();

inline void check_ok(sidra_status status, const char* text, const char* file, int line) {
  if (status == SIDRA_STATUS_OK) return;
  testing::fail(
      file, line,
      std::string(text) + " returned " + std::to_string(status) + ": " + driver().last_error());
}

// The call is made on a fresh thread, so that the text can only be of this failure. Returns it.
template <typename Call>
std::string check_fails(sidra_status want, const Call& call, const char* text, const char* file,
                        int line) {
  std::string before, after;
  sidra_status status = SIDRA_STATUS_OK;
  std::thread([&] {
    before = driver().last_error();
    status = call();
    after = driver().last_error();
  }).join();
  if (status != want) {
    testing::fail(file, line,
                  std::string(text) + " returned " + std::to_string(status) + ", not " +
                      std::to_string(want) + " (last error: " + after + ")");
  }
  if (!before.empty()) testing::fail(file, line, "last_error of a fresh thread: " + before);
  if (after.empty()) testing::fail(file, line, std::string(text) + " left no last_error");
  return after;
}

// A command may be refused at its submission or by the stream's next synchronize.
template <typename Call>
sidra_status outcome(sidra_stream* stream, const Call& call) {
  const sidra_status status = call();
  return status == SIDRA_STATUS_OK ? driver().stream_synchronize(stream) : status;
}

}  // namespace sidra::conformance

#define CHECK_OK(call) sidra::conformance::check_ok((call), #call, __FILE__, __LINE__)
#define CHECK_FAILS(status, call) \
  sidra::conformance::check_fails((status), [&] { return (call); }, #call, __FILE__, __LINE__)
#define CHECK_FAILS_IN(stream, status, call)                                                   \
  sidra::conformance::check_fails(                                                             \
      (status), [&] { return sidra::conformance::outcome((stream), [&] { return (call); }); }, \
      #call, __FILE__, __LINE__)
// Leaves a test that the driver's own flags or size exclude.
#define SKIP_IF(condition, reason) \
  if (condition) throw sidra::testing::Skipped(reason)
