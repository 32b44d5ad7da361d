#include "drivers/sim/memory.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>

#include "drivers/sim/test_chip.h"

namespace sidra::sim {
namespace {

constexpr uint64_t kTotal = 1 << 20;

TEST(memory_coherent_address_is_the_host_pointer) {
  Memory memory(1, kTotal, false);
  const uint64_t address = memory.allocate(0, 1000);
  CHECK_EQ(address % 64, uint64_t{0});
  const Span span = memory.find("x", address + 10, 990);
  CHECK_EQ(reinterpret_cast<uintptr_t>(span.host), address + 10);
  CHECK_EQ(span.device, 0);
}

TEST(memory_strict_address_is_not) {
  Memory memory(2, kTotal, true);
  const uint64_t address = memory.allocate(1, 1000);
  const Span span = memory.find("x", address + 10, 990);
  CHECK(reinterpret_cast<uintptr_t>(span.host) != address + 10);
  CHECK_EQ(span.device, 1);
  std::memset(span.host, 1, 990);
  CHECK(memory.find("x", address + 999, 1).host == span.host + 989);
}

// The child ends by a signal, or by a sanitizer's report of it; never by its own exit(0).
bool access_ends_the_process(uint64_t address) {
  std::fflush(stdout);  // the child must not print it again
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);
    std::signal(SIGBUS, SIG_DFL);
    *reinterpret_cast<volatile char*>(address) = 1;
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(memory_strict_address_faults) {
  Memory strict(1, kTotal, true), coherent(1, kTotal, false);
  CHECK(access_ends_the_process(strict.allocate(0, 1000)));
  CHECK(!access_ends_the_process(coherent.allocate(0, 1000)));
}

TEST(memory_counts_per_device) {
  Memory memory(2, kTotal, false);
  const uint64_t address = memory.allocate(0, 100);
  CHECK_EQ(memory.free_bytes(0), kTotal - 128);
  CHECK_EQ(memory.free_bytes(1), kTotal);
  memory.release(address);
  CHECK_EQ(memory.free_bytes(0), kTotal);
}

TEST(memory_can_be_filled_and_no_more) {
  Memory memory(1, kTotal, false);
  const uint64_t half = memory.allocate(0, kTotal / 2);
  memory.allocate(0, kTotal / 2);
  const auto text = error_of(SIDRA_STATUS_OUT_OF_MEMORY, [&] { memory.allocate(0, 1); });
  CHECK(has(text, "asked for 1 bytes") && has(text, "free are 0 of 1048576"));
  error_of(SIDRA_STATUS_OUT_OF_MEMORY, [&] { memory.allocate(0, UINT64_MAX); });
  memory.release(half);
  memory.allocate(0, kTotal / 2);
}

TEST(memory_beyond_the_hosts_is_refused) {
  Memory memory(1, uint64_t{1} << 60, false);
  const auto text =
      error_of(SIDRA_STATUS_OUT_OF_MEMORY, [&] { memory.allocate(0, uint64_t{1} << 59); });
  CHECK(has(text, "host"));
  CHECK_EQ(memory.free_bytes(0), uint64_t{1} << 60);
}

TEST(memory_find_names_what_is_wrong) {
  Memory memory(1, kTotal, false);
  const uint64_t address = memory.allocate(0, 100);
  CHECK(has(error_of(SIDRA_STATUS_NOT_FOUND, [&] { memory.find("bias", 64, 4); }),
            "bias: 0x40 (4 bytes)"));
  error_of(SIDRA_STATUS_NOT_FOUND, [&] { memory.find("x", address + 100, 1); });
  error_of(SIDRA_STATUS_NOT_FOUND, [&] { memory.find("x", address - 1, 1); });
  const auto text =
      error_of(SIDRA_STATUS_INVALID_ARGUMENT, [&] { memory.find("x", address + 1, 100); });
  CHECK(has(text, "past the end") && has(text, hex(address)));
  error_of(SIDRA_STATUS_INVALID_ARGUMENT, [&] { memory.find("x", address, UINT64_MAX); });
}

TEST(memory_finds_among_many) {
  Memory memory(1, kTotal, false);
  std::vector<uint64_t> addresses;
  for (int i = 0; i < 1000; ++i) addresses.push_back(memory.allocate(0, 64));
  for (size_t i = 0; i < addresses.size(); i += 2) memory.release(addresses[i]);
  for (size_t i = 0; i < addresses.size(); ++i) {
    if (i % 2 == 1) {
      memory.find("x", addresses[i], 64);
    } else {
      error_of(SIDRA_STATUS_NOT_FOUND, [&] { memory.find("x", addresses[i], 64); });
    }
  }
}

TEST(memory_used_by_several_threads) {
  Memory memory(1, kTotal, false);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 500; ++j) {
        const uint64_t address = memory.allocate(0, 256);
        std::memset(memory.find("x", address, 256).host, 1, 256);
        memory.release(address);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(memory.free_bytes(0), kTotal);
}

}  // namespace
}  // namespace sidra::sim
