// The table itself; what its functions promise is checked by conformance.
#include "sidra/driver.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "drivers/sim/test_chip.h"

namespace sidra::sim {
namespace {

TEST(driver_table_is_of_major_1_only) {
  CHECK(sidra_driver_get(1) != nullptr);
  CHECK(sidra_driver_get(0) == nullptr && sidra_driver_get(2) == nullptr);
  CHECK_EQ(std::string(sidra_driver_get(1)->name), "sim");
}

TEST(driver_turns_errors_into_statuses) {
  const sidra_driver& driver = *sidra_driver_get(1);
  sidra_instance_create_args args{};
  args.struct_size = sizeof(args);
  args.config = "adc_bits=99";
  CHECK_EQ(driver.instance_create(&args), SIDRA_STATUS_INVALID_ARGUMENT);
  CHECK(has(driver.last_error(), "adc_bits=99: must be an integer of 0 to 16 bits"));
  CHECK_EQ(driver.instance_create(nullptr), SIDRA_STATUS_INVALID_ARGUMENT);
  CHECK(has(driver.last_error(), "instance_create"));
}

// Called for every operator of a model: it must not be felt.
TEST(driver_accounts_work_quickly) {
  const sidra_driver& driver = *sidra_driver_get(1);
  TestChip chip("preset=y1");
  sidra_work_args args{};
  args.struct_size = sizeof(args);
  args.alu_operations = 1000;
  constexpr int kCalls = 200000;
  double best = 1;
  for (int round = 0; round < 5; ++round) {
    const std::clock_t start = std::clock();
    for (int i = 0; i < kCalls; ++i) driver.account_work(handle(&chip.stream), &args);
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / kCalls);
  }
  std::printf("account_work: %.0f ns\n", 1e9 * best);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  throw testing::Skipped("sanitizers slow it down");
#endif
  CHECK(best < 200e-9);  // a bound for slow machines; about 40 ns on a current one
}

}  // namespace
}  // namespace sidra::sim

// The main of all tests of this folder.
int main(int argc, char** argv) { return sidra::testing::run_all(argc, argv); }
