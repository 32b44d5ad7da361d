#include "drivers/sim/host.h"

#include <numeric>
#include <stdexcept>
#include <vector>

#include "drivers/sim/test_chip.h"

namespace sidra::sim {
namespace {

void check_covers(const Host& host, uint64_t count, uint64_t grain) {
  std::vector<int> visits(count);
  host.parallel_for(count, grain, [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) ++visits[i];
  });
  CHECK(visits == std::vector<int>(count, 1));
}

TEST(host_parallel_for_covers_the_range) {
  for (const Host& host : {Host(), Host(two_thread_services())}) {
    for (const uint64_t count : {0, 1, 2, 100}) {
      for (const uint64_t grain : {1, 3, 200}) check_covers(host, count, grain);
    }
  }
}

void never(void*, uint64_t, uint64_t, sidra_range_function, void*) {
  testing::fail(__FILE__, __LINE__, "small work was given to threads");
}

TEST(host_keeps_small_work_on_the_calling_thread) {
  const sidra_host_services services{sizeof(sidra_host_services), nullptr, never, nullptr};
  check_covers(Host(&services), 5, 5);
}

TEST(host_passes_exceptions_round_the_openers_function) {
  const Host host(two_thread_services());
  for (const uint64_t bad : {0, 99}) {
    const auto text = error_of(SIDRA_STATUS_INTERNAL, [&] {
      host.parallel_for(100, 1, [&](uint64_t begin, uint64_t end) {
        if (begin <= bad && bad < end) fail(SIDRA_STATUS_INTERNAL, "at ", bad);
      });
    });
    CHECK_EQ(text, "at " + std::to_string(bad));
  }
}

TEST(host_of_an_older_opener_lends_less) {
  sidra_host_services services = *two_thread_services();
  services.matmul_f32 = [](void*, const sidra_matmul_f32_args*) {};
  CHECK(Host(&services).has_matmul());
  services.struct_size = offsetof(sidra_host_services, matmul_f32);
  CHECK(!Host(&services).has_matmul());
  CHECK(!Host().has_matmul());
}

}  // namespace
}  // namespace sidra::sim
