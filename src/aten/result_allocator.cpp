#include "aten/result_allocator.h"

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "runtime/address_map.h"

namespace sidra::aten {
namespace {

using runtime::Block;

thread_local ResultScope* open_scope = nullptr;

c10::Allocator* host_allocator = nullptr;

// Result memory that outlives its scope, and what another thread released while the scope of its
// allocation was still open.
struct Kept {
  std::mutex mutex;
  std::unordered_map<const void*, Block*> blocks;
  std::unordered_set<const void*> released_early;
  std::atomic<size_t> count{0};  // of blocks, read without the lock

  void add(Block* block) {
    const void* const memory = reinterpret_cast<const void*>(block->address);
    const std::lock_guard lock(mutex);
    if (released_early.erase(memory) > 0) return runtime::release_block(block);
    blocks[memory] = block;
    count.store(blocks.size(), std::memory_order_release);
  }

  void release_later(const void* memory) {
    const std::lock_guard lock(mutex);
    released_early.insert(memory);
  }

  Block* take(const void* memory) {
    if (count.load(std::memory_order_acquire) == 0) return nullptr;
    const std::lock_guard lock(mutex);
    const auto found = blocks.find(memory);
    if (found == blocks.end()) return nullptr;
    Block* const block = found->second;
    blocks.erase(found);
    count.store(blocks.size(), std::memory_order_release);
    return block;
  }
};

Kept& kept() {
  static Kept* const instance = new Kept;  // memory is released after static destructors
  return *instance;
}

Block* take_block(const void* memory) {
  if (open_scope != nullptr) {
    if (Block* const block = open_scope->take(memory)) return block;
  }
  return kept().take(memory);
}

// Of result memory, and of raw CPU memory, which knows no other deleter.
void release_memory(void* memory) {
  if (memory == nullptr) return;
  if (Block* const block = take_block(memory)) {
    runtime::release_block(block);
  } else if (runtime::device_of_address(reinterpret_cast<uint64_t>(memory)).has_value()) {
    kept().release_later(memory);
  } else {
    host_allocator->raw_deleter()(memory);
  }
}

class ResultAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    return open_scope == nullptr ? host_allocator->allocate(bytes) : open_scope->allocate(bytes);
  }
  c10::DeleterFnPtr raw_deleter() const override { return release_memory; }
  void copy_data(void* destination, const void* source, size_t bytes) const override {
    host_allocator->copy_data(destination, source, bytes);
  }
};

}  // namespace

void install_result_allocator() {
  static ResultAllocator* const allocator = [] {
    host_allocator = c10::GetAllocator(c10::DeviceType::CPU);
    return new ResultAllocator;
  }();
  c10::SetAllocator(c10::DeviceType::CPU, allocator, /*priority=*/1);
}

ResultScope::ResultScope(c10::DeviceIndex device) : device_(device), outer_(open_scope) {
  open_scope = this;
}

ResultScope::~ResultScope() {
  open_scope = outer_;
  for (Block* const block : blocks_) kept().add(block);
}

c10::DataPtr ResultScope::allocate(size_t bytes) {
  const c10::Device label(c10::DeviceType::CPU);
  if (bytes == 0) return {nullptr, label};
  Block* const block = runtime::allocate_block(device_, bytes);
  blocks_.push_back(block);
  void* const memory = reinterpret_cast<void*>(block->address);
  return {memory, memory, release_memory, label};
}

Block* ResultScope::take(const void* memory) {
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
    if (reinterpret_cast<const void*>((*block)->address) != memory) continue;
    Block* const taken = *block;
    blocks_.erase(std::prev(block.base()));
    return taken;
  }
  return nullptr;
}

bool claim_result(c10::DataPtr& memory, c10::Device device) {
  if (memory.get() == nullptr || memory.get_deleter() != &release_memory) return false;
  Block* const block = take_block(memory.get());
  if (block == nullptr) return false;
  memory.release_context();
  memory = runtime::block_data_ptr(block, device);
  return true;
}

}  // namespace sidra::aten
