#include "runtime/memory_statistics.h"

#include <algorithm>

namespace sidra::runtime {
namespace {

using c10::CachingAllocator::Stat;
using c10::CachingAllocator::StatArray;

// Active is allocated plus waiting. It is derived, because nothing waits on most drivers and every
// allocation would pay for it; its peak is therefore an upper bound while blocks wait.
StatArray sum(const StatArray& allocated, const StatArray& waiting) {
  StatArray active = allocated;
  for (size_t type = 0; type < active.size(); ++type) {
    Stat& stat = active[type];
    stat.current += waiting[type].current;
    stat.peak += waiting[type].peak;
    stat.freed = std::max<int64_t>(0, stat.freed - waiting[type].current);
  }
  return active;
}

template <typename Function>
void for_each_stat(c10::CachingDeviceAllocator::DeviceStats& stats, Function function) {
  for (StatArray* array :
       {&stats.allocation, &stats.segment, &stats.inactive_split, &stats.allocated_bytes,
        &stats.reserved_bytes, &stats.inactive_split_bytes, &stats.requested_bytes}) {
    for (Stat& stat : *array) function(stat);
  }
}

}  // namespace

MemoryStatistics::Stats MemoryStatistics::snapshot() const {
  Stats stats = stats_;
  stats.active = sum(stats_.allocation, waiting_);
  stats.active_bytes = sum(stats_.allocated_bytes, waiting_bytes_);
  return stats;
}

void MemoryStatistics::reset_accumulated() {
  for_each_stat(stats_, [](Stat& stat) { stat.reset_accumulated(); });
  stats_.num_alloc_retries = 0;
  stats_.num_ooms = 0;
  stats_.num_sync_all_streams = 0;
  stats_.num_device_alloc = 0;
  stats_.num_device_free = 0;
}

void MemoryStatistics::reset_peaks() {
  for_each_stat(stats_, [](Stat& stat) { stat.reset_peak(); });
  for (StatArray* array : {&waiting_, &waiting_bytes_}) {
    for (Stat& stat : *array) stat.reset_peak();
  }
}

}  // namespace sidra::runtime
