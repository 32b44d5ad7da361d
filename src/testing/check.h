// A test harness in one header, so that the C++ tests and the driver conformance program build
// with nothing but a compiler, on a vendor's machine too.
//
//   TEST(adds_bias) { CHECK_EQ(1 + 1, 2); }
//   int main(int argc, char** argv) { return sidra::testing::run_all(argc, argv); }
//
// An argument is a substring: only tests whose name holds it run. The last line is a summary, the
// exit status 0 only when at least one test ran and none failed.
#pragma once

#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace sidra::testing {

struct Test {
  std::string name;
  std::function<void()> body;
};

struct Skipped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline std::vector<Test>& tests() {
  static std::vector<Test> list;
  return list;
}

inline bool add_test(std::string name, std::function<void()> body) {
  tests().push_back({std::move(name), std::move(body)});
  return true;
}

[[noreturn]] inline void fail(const char* file, int line, const std::string& what) {
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + what);
}

template <typename A, typename B>
void check_eq(const A& a, const B& b, const char* text, const char* file, int line) {
  if (a == b) return;
  std::ostringstream out;
  out << text << ": " << a << " != " << b;
  fail(file, line, out.str());
}

inline int run_all(int argc, char** argv) {
  int passed = 0, failed = 0, skipped = 0;
  for (const Test& test : tests()) {
    if (argc > 1 && test.name.find(argv[1]) == std::string::npos) continue;
    try {
      test.body();
      ++passed;
    } catch (const Skipped& reason) {
      ++skipped;
      std::printf("SKIP %s: %s\n", test.name.c_str(), reason.what());
    } catch (const std::exception& error) {
      ++failed;
      std::printf("FAIL %s\n     %s\n", test.name.c_str(), error.what());
    }
  }
  std::printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace sidra::testing

#define TEST(name)                                                                    \
  static void test_##name();                                                          \
  static const bool registered_##name = sidra::testing::add_test(#name, test_##name); \
  static void test_##name()
#define CHECK(condition) \
  if (!(condition)) sidra::testing::fail(__FILE__, __LINE__, #condition)
#define CHECK_EQ(a, b) sidra::testing::check_eq((a), (b), #a " == " #b, __FILE__, __LINE__)
