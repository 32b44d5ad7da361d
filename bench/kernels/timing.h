// Times of short calls on a machine that does other things too.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace sidra::bench {

inline double now_seconds() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

// Seconds of one call: the best average over `calls` calls, out of `repeats`; the best is the one
// that was least disturbed. For work that is the same each time.
template <class Body>
double best_seconds(int calls, int repeats, const Body& body) {
  double best = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const double start = now_seconds();
    for (int call = 0; call < calls; ++call) body();
    best = std::min(best, (now_seconds() - start) / calls);
  }
  return best;
}

// Seconds of a call of body(0) ... body(count - 1): the median, because of calls that find
// different caches the best would be the luckiest.
template <class Body>
double median_seconds(uint64_t count, const Body& body) {
  std::vector<double> seconds(count);
  for (uint64_t i = 0; i < count; ++i) {
    const double start = now_seconds();
    body(i);
    seconds[i] = now_seconds() - start;
  }
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

}  // namespace sidra::bench
