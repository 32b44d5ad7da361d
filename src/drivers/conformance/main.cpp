// Checks that a driver keeps what driver.h promises.
//
//   sidra_conformance <driver.so> [key=value ...] [--only=<part of a test's name>]
//
// The pairs are the configuration that instances are created with. Tests that the device's own
// flags exclude are reported as skipped, with the reason. Exit status 0: nothing failed.
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "drivers/conformance/target.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s <driver.so> [key=value ...] [--only=<test>]\n", argv[0]);
    return 2;
  }
  constexpr const char kOnly[] = "--only=";
  std::string config;
  char all[] = "";
  char* filter[] = {argv[0], all};
  for (int i = 2; i < argc; ++i) {
    if (std::strncmp(argv[i], kOnly, sizeof(kOnly) - 1) == 0) {
      filter[1] = argv[i] + sizeof(kOnly) - 1;
    } else {
      config.append(argv[i]).append("\n");
    }
  }
  try {
    sidra::conformance::load_target(argv[1], config);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[1], error.what());
    return 1;
  }
  std::printf("%s %s, ABI %u.%u\n", sidra::conformance::driver().name,
              sidra::conformance::driver().version, sidra::conformance::driver().abi_major,
              sidra::conformance::driver().abi_minor);
  return sidra::testing::run_all(2, filter);
}
