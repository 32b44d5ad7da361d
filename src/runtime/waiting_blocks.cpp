#include "runtime/waiting_blocks.h"

#include "runtime/event.h"

namespace sidra::runtime {

void WaitingBlocks::add(PooledBlock* block) {
  Waiting waiting{block, {}};
  for (const c10::Stream& stream : block->used_on) {
    waiting.events.push_back(nullptr);
    record_event(&waiting.events.back(), stream, stream.device_index());
  }
  block->used_on.clear();
  waiting_.push_back(std::move(waiting));
}

bool WaitingBlocks::is_over(Waiting& waiting, bool wait) {
  while (!waiting.events.empty()) {
    sidra_event* event = waiting.events.back();
    if (wait) synchronize_event(event);
    if (!wait && !query_event(event)) return false;
    destroy_event(event);
    waiting.events.pop_back();
  }
  return true;
}

std::vector<PooledBlock*> WaitingBlocks::collect(bool wait) {
  std::vector<PooledBlock*> over;
  std::deque<Waiting> still;
  for (Waiting& waiting : waiting_) {
    if (is_over(waiting, wait)) {
      over.push_back(waiting.block);
    } else {
      still.push_back(std::move(waiting));
    }
  }
  waiting_ = std::move(still);
  return over;
}

}  // namespace sidra::runtime
