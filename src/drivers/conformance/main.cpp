// Checks that a driver keeps what driver.h promises.
//
//   sidra_conformance <driver.so> [key=value ...] [--only=<part of a test's name>]
//   sidra_conformance <driver.so> [key=value ...] --leave-busy
//
// The pairs are the configuration that instances are created with. Tests that the device's own
// flags exclude are reported as skipped, with the reason. Exit status 0: nothing failed. With
// --leave-busy the process fills two streams and leaves: it must end with status 0.
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "drivers/conformance/leave_busy.h"
#include "drivers/conformance/target.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s <driver.so> [key=value ...] [--only=<test>]\n", argv[0]);
    return 2;
  }
  constexpr const char kOnly[] = "--only=";
  std::string config;
  bool leave = false;
  char all[] = "";
  char* filter[] = {argv[0], all};
  for (int i = 2; i < argc; ++i) {
    if (std::strncmp(argv[i], kOnly, sizeof(kOnly) - 1) == 0) {
      filter[1] = argv[i] + sizeof(kOnly) - 1;
    } else if (std::strcmp(argv[i], "--leave-busy") == 0) {
      leave = true;
    } else {
      config.append(argv[i]).append("\n");
    }
  }
  try {
    sidra::conformance::load_target(argv[1], config);
    if (leave) {
      sidra::conformance::leave_busy();
      return 0;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[1], error.what());
    return 1;
  }
  std::printf("%s %s, ABI %u.%u\n", sidra::conformance::driver().name,
              sidra::conformance::driver().version, sidra::conformance::driver().abi_major,
              sidra::conformance::driver().abi_minor);
  return sidra::testing::run_all(2, filter);
}
