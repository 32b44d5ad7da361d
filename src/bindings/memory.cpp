#include <c10/core/CachingDeviceAllocator.h>

#include "bindings/bindings.h"
#include "runtime/allocator.h"
#include "runtime/device_memory.h"

namespace sidra::bindings {
namespace {

namespace py = pybind11;
using c10::CachingAllocator::Stat;
using c10::CachingAllocator::StatArray;

py::dict to_dict(const Stat& stat) {
  py::dict result;
  result["current"] = stat.current;
  result["peak"] = stat.peak;
  result["allocated"] = stat.allocated;
  result["freed"] = stat.freed;
  return result;
}

py::dict to_dict(const StatArray& stats) {
  py::dict result;
  result["all"] = to_dict(stats[0]);
  result["small_pool"] = to_dict(stats[1]);
  result["large_pool"] = to_dict(stats[2]);
  return result;
}

// CUDA's keys, nested.
py::dict memory_stats(int64_t device) {
  const auto stats = runtime::device_allocator()->getDeviceStats(device_index(device));
  py::dict result;
#define SIDRA_STATISTIC(name) result[#name] = to_dict(stats.name)
  SIDRA_STATISTIC(allocation);
  SIDRA_STATISTIC(segment);
  SIDRA_STATISTIC(active);
  SIDRA_STATISTIC(inactive_split);
  SIDRA_STATISTIC(allocated_bytes);
  SIDRA_STATISTIC(reserved_bytes);
  SIDRA_STATISTIC(active_bytes);
  SIDRA_STATISTIC(inactive_split_bytes);
  SIDRA_STATISTIC(requested_bytes);
  SIDRA_STATISTIC(oversize_allocations);
  SIDRA_STATISTIC(oversize_segments);
#undef SIDRA_STATISTIC
#define SIDRA_STATISTIC(name) result[#name] = stats.name
  SIDRA_STATISTIC(num_alloc_retries);
  SIDRA_STATISTIC(num_ooms);
  SIDRA_STATISTIC(num_sync_all_streams);
  SIDRA_STATISTIC(num_device_alloc);
  SIDRA_STATISTIC(num_device_free);
  SIDRA_STATISTIC(max_split_size);
#undef SIDRA_STATISTIC
  return result;
}

}  // namespace

void bind_memory(py::module_& module) {
  module.def("memory_stats", torch::wrap_pybind_function(memory_stats), py::arg("device"),
             "What the allocator counts, under CUDA's names, nested.");
  module.def("memory_info", torch::wrap_pybind_function_no_gil([](int64_t device) {
               return runtime::device_allocator()->getMemoryInfo(device_index(device));
             }),
             py::arg("device"), "(free, total) bytes of device memory, as the driver sees it.");
  module.def("set_memory_limit",
             torch::wrap_pybind_function_no_gil([](int64_t device, uint64_t bytes) {
               runtime::device_memory(device_index(device)).set_limit(bytes);
             }),
             py::arg("device"), py::arg("bytes"), "Takes at most `bytes` from the driver.");
  module.def("empty_cache",
             torch::wrap_pybind_function_no_gil([] { runtime::device_allocator()->emptyCache(); }));
  module.def("reset_accumulated_memory_stats",
             torch::wrap_pybind_function_no_gil([](int64_t device) {
               runtime::device_allocator()->resetAccumulatedStats(device_index(device));
             }),
             py::arg("device"));
  module.def("reset_peak_memory_stats", torch::wrap_pybind_function_no_gil([](int64_t device) {
               runtime::device_allocator()->resetPeakStats(device_index(device));
             }),
             py::arg("device"));
}

}  // namespace sidra::bindings
