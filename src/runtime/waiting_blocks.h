// Released blocks that another stream may still use: they wait for an event on each such stream.
#pragma once

#include <deque>
#include <vector>

#include "runtime/segment_pool.h"
#include "sidra/driver.h"

namespace sidra::runtime {

class WaitingBlocks {
 public:
  bool empty() const { return waiting_.empty(); }
  // Marks the streams that `block` was recorded on. Raises when the driver cannot.
  void add(PooledBlock* block);
  // The blocks that no stream uses any more, in order of release; with `wait`, all of them.
  std::vector<PooledBlock*> collect(bool wait);

 private:
  struct Waiting {
    PooledBlock* block;
    std::vector<sidra_event*> events;
  };
  static bool is_over(Waiting& waiting, bool wait);

  std::deque<Waiting> waiting_;
};

}  // namespace sidra::runtime
