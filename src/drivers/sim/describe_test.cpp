#include "drivers/sim/describe.h"

#include "drivers/sim/test_chip.h"
#include "kernels/isa.h"
#include "kernels/mvm/mvm.h"

namespace sidra::sim {
namespace {

TEST(describe_names_the_microkernels_that_run) {
  const std::string text = describe();
  CHECK(has(text, std::string("{\"isa\": \"") + kernels::isa_name(kernels::selected_isa())));
  CHECK(has(text, std::string("\"name\": \"") + kernels::mvm_name()));
  size_t selected = 0;
  for (size_t at = 0; (at = text.find("\"selected\": true", at)) != std::string::npos; ++at) {
    ++selected;
  }
  CHECK_EQ(selected, size_t{2});  // one a family
  CHECK(has(text, "\"family\": \"mvm\"") && has(text, "\"family\": \"quantize\""));
  CHECK_EQ(text.substr(text.size() - 3), "}]}");
}

}  // namespace
}  // namespace sidra::sim
