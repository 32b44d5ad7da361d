// The services that the opener lends: its threads and its float32 product.
#pragma once

#include <cstdint>
#include <exception>
#include <mutex>

#include "sidra/driver.h"

namespace sidra::sim {

class Host {
 public:
  Host() = default;
  explicit Host(const sidra_host_services* services);

  // Calls body(begin, end) over ranges that cover [0, count). What a range throws is thrown here
  // once all are done: no exception crosses the opener's function.
  template <typename Body>
  void parallel_for(uint64_t count, uint64_t grain, const Body& body) const {
    if (parallel_for_ == nullptr || count <= grain) {
      if (count > 0) body(uint64_t{0}, count);
      return;
    }
    Call<Body> call{body, {}, {}};
    parallel_for_(context_, count, grain, &Call<Body>::run, &call);
    if (call.error) std::rethrow_exception(call.error);
  }

  bool has_matmul() const { return matmul_ != nullptr; }
  void matmul(const sidra_matmul_f32_args& args) const { matmul_(context_, &args); }

 private:
  template <typename Body>
  struct Call {
    static void run(void* context, uint64_t begin, uint64_t end) {
      Call& call = *static_cast<Call*>(context);
      try {
        call.body(begin, end);
      } catch (...) {
        const std::lock_guard lock(call.mutex);
        if (!call.error) call.error = std::current_exception();
      }
    }
    const Body& body;
    std::mutex mutex;
    std::exception_ptr error;
  };

  void* context_ = nullptr;
  void (*parallel_for_)(void*, uint64_t, uint64_t, sidra_range_function, void*) = nullptr;
  void (*matmul_)(void*, const sidra_matmul_f32_args*) = nullptr;
};

}  // namespace sidra::sim
