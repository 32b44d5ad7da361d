// Copies between host and devices.
#include <numeric>

#include "drivers/conformance/target.h"

namespace sidra::conformance {
namespace {

std::vector<uint8_t> pattern(size_t count, uint8_t seed) {
  std::vector<uint8_t> bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<uint8_t>(i * 31 + seed + (i >> 8));
  return bytes;
}

TEST(copy_there_and_back_keeps_every_byte) {
  const Session session;
  const Stream stream(session);
  for (const size_t count : {size_t{1}, size_t{63}, size_t{4097}, size_t{3} << 20}) {
    const std::vector<uint8_t> bytes = pattern(count, 7);
    const Values<uint8_t> values(session, stream, bytes);
    CHECK(values.read(stream) == bytes);
  }
}

TEST(copy_takes_addresses_inside_an_allocation) {
  const Session session;
  const Stream stream(session);
  std::vector<uint8_t> expected = pattern(1000, 1);
  const Values<uint8_t> values(session, stream, expected);
  const std::vector<uint8_t> part = pattern(100, 2);
  CHECK_OK(driver().copy_to_device(stream, values.address(333), part.data(), 100, nullptr));
  std::copy(part.begin(), part.end(), expected.begin() + 333);
  CHECK(values.read(stream) == expected);
  std::vector<uint8_t> got(10);
  CHECK_OK(driver().copy_to_host(stream, got.data(), values.address(990), 10, nullptr));
  stream.synchronize();
  CHECK(std::equal(got.begin(), got.end(), expected.begin() + 990));
}

TEST(copy_on_one_device) {
  const Session session;
  const Stream stream(session);
  const std::vector<uint8_t> bytes = pattern(100000, 3);
  const Values<uint8_t> from(session, stream, bytes);
  const Values<uint8_t> to(session, stream, std::vector<uint8_t>(bytes.size()));
  CHECK_OK(driver().copy_on_device(stream, to.address(), from.address(), bytes.size(), nullptr));
  CHECK(to.read(stream) == bytes);
}

TEST(copy_between_devices_on_a_stream_of_either) {
  const Session session(2);
  const Stream first(session, 0), second(session, 1);
  const std::vector<uint8_t> bytes = pattern(100000, 4);
  const Values<uint8_t> from(session, first, bytes, 0);
  const Values<uint8_t> to(session, second, std::vector<uint8_t>(bytes.size()), 1);
  CHECK_OK(driver().copy_on_device(second, to.address(), from.address(), 50000, nullptr));
  CHECK_OK(driver().copy_on_device(first, to.address(50000), from.address(50000), 50000, nullptr));
  first.synchronize();
  CHECK(to.read(second) == bytes);
}

TEST(copy_of_nothing_is_fine) {
  const Session session;
  const Stream stream(session);
  const Memory memory(session, 64);
  sidra_cost cost{};
  CHECK_OK(driver().copy_to_device(stream, memory.address(), nullptr, 0, &cost));
  CHECK_OK(driver().copy_to_host(stream, nullptr, memory.address(), 0, &cost));
  CHECK_OK(driver().copy_on_device(stream, memory.address(), memory.address(), 0, &cost));
  stream.synchronize();
}

TEST(copy_past_the_end_is_refused) {
  const Session session;
  const Stream stream(session);
  const Memory memory(session, 1000), other(session, 4096);
  std::vector<uint8_t> bytes(4096);
  CHECK_FAILS_IN(
      stream, SIDRA_STATUS_INVALID_ARGUMENT,
      driver().copy_to_device(stream, memory.address() + 1, bytes.data(), 1000, nullptr));
  CHECK_FAILS_IN(stream, SIDRA_STATUS_INVALID_ARGUMENT,
                 driver().copy_to_host(stream, bytes.data(), memory.address(), 1001, nullptr));
  CHECK_FAILS_IN(stream, SIDRA_STATUS_INVALID_ARGUMENT,
                 driver().copy_on_device(stream, other.address(), memory.address(), 1001, nullptr));
  CHECK_FAILS_IN(
      stream, SIDRA_STATUS_INVALID_ARGUMENT,
      driver().copy_on_device(stream, memory.address(), other.address(), UINT64_MAX, nullptr));
}

TEST(copy_of_an_unknown_address_is_not_found) {
  const Session session;
  const Stream stream(session);
  uint64_t address = 0;
  CHECK_OK(driver().memory_alloc(session.instance(), 0, 4096, &address));
  CHECK_OK(driver().memory_free(session.instance(), address));
  uint8_t byte = 0;
  for (const uint64_t unknown : {uint64_t{64}, address}) {
    CHECK_FAILS_IN(stream, SIDRA_STATUS_NOT_FOUND,
                   driver().copy_to_device(stream, unknown, &byte, 1, nullptr));
    CHECK_FAILS_IN(stream, SIDRA_STATUS_NOT_FOUND,
                   driver().copy_to_host(stream, &byte, unknown, 1, nullptr));
  }
}

TEST(copy_without_a_host_buffer_is_refused) {
  const Session session;
  const Stream stream(session);
  const Memory memory(session, 64);
  CHECK_FAILS_IN(stream, SIDRA_STATUS_INVALID_ARGUMENT,
                 driver().copy_to_device(stream, memory.address(), nullptr, 1, nullptr));
  CHECK_FAILS_IN(stream, SIDRA_STATUS_INVALID_ARGUMENT,
                 driver().copy_to_host(stream, nullptr, memory.address(), 1, nullptr));
}

TEST(copy_counts_the_bytes_that_cross) {
  const Session session;
  const Stream stream(session);
  const Values<uint8_t> values(session, stream, pattern(1000, 5));
  values.read(stream);
  values.read(stream);
  const sidra_counters counters = session.counters();
  CHECK_EQ(counters.bytes_to_device, uint64_t{1000});
  CHECK_EQ(counters.bytes_to_host, uint64_t{2000});
}

TEST(copy_costs_more_for_more_bytes) {
  const Session session;
  SKIP_IF(session.has(SIDRA_DEVICE_COMPUTES_NOTHING), "the device computes nothing");
  const Stream stream(session);
  const std::vector<uint8_t> bytes(1 << 20);
  const Memory memory(session, bytes.size());
  sidra_cost few{}, many{};
  CHECK_OK(driver().copy_to_device(stream, memory.address(), bytes.data(), 64, &few));
  CHECK_OK(driver().copy_to_device(stream, memory.address(), bytes.data(), bytes.size(), &many));
  CHECK(few.chip_seconds > 0 && many.chip_seconds > few.chip_seconds);
  CHECK(few.joules > 0 && many.joules > few.joules);
  CHECK(many.datasheet_joules > few.datasheet_joules);
  stream.synchronize();
}

}  // namespace
}  // namespace sidra::conformance
