// The handshake: which tables there are, and what a table must hold.
#include <cstring>

#include "drivers/conformance/target.h"

namespace sidra::conformance {
namespace {

TEST(version_unknown_major_has_no_table) {
  CHECK(target_get()(SIDRA_ABI_MAJOR) != nullptr);
  CHECK(target_get()(0) == nullptr);
  CHECK(target_get()(SIDRA_ABI_MAJOR + 1) == nullptr);
  CHECK(target_get()(UINT32_MAX) == nullptr);
}

TEST(version_table_is_of_the_major_asked_for) {
  CHECK_EQ(driver().abi_major, uint32_t{SIDRA_ABI_MAJOR});
  CHECK_EQ(target_get()(SIDRA_ABI_MAJOR), target_get()(SIDRA_ABI_MAJOR));
  CHECK(driver().name != nullptr && std::strlen(driver().name) > 0);
  CHECK(driver().version != nullptr && std::strlen(driver().version) > 0);
}

TEST(version_table_reaches_every_function_of_1_0) {
  CHECK(driver().struct_size >= offsetof(sidra_driver, describe));
  const auto* const table = reinterpret_cast<const char*>(&driver());
  for (size_t at = offsetof(sidra_driver, last_error); at < offsetof(sidra_driver, describe);
       at += sizeof(void*)) {
    void* function = nullptr;
    std::memcpy(&function, table + at, sizeof(function));
    CHECK(function != nullptr);
  }
}

TEST(version_description_is_absent_or_an_object) {
  const bool reaches =
      driver().struct_size >= offsetof(sidra_driver, describe) + sizeof(driver().describe);
  SKIP_IF(!reaches || driver().describe == nullptr, "the driver says nothing about itself");
  const char* const text = driver().describe();
  CHECK(text != nullptr && text[0] == '{' && text[std::strlen(text) - 1] == '}');
}

}  // namespace
}  // namespace sidra::conformance
