#include "aten/result_allocator.h"

#include <c10/core/Allocator.h>

#include "runtime/allocator.h"

namespace sidra::aten {
namespace {

thread_local c10::DeviceIndex scope_device = -1;  // -1: no scope is open

class ResultAllocator final : public c10::Allocator {
 public:
  explicit ResultAllocator(c10::Allocator* host) : host_(host) {}

  c10::DataPtr allocate(size_t bytes) override {
    if (scope_device < 0) return host_->allocate(bytes);
    return runtime::block_data_ptr(runtime::allocate_block(scope_device, bytes),
                                   c10::Device(c10::DeviceType::CPU));
  }

  // Without a deleter raw_allocate is refused while a scope is open: its memory would be freed
  // without its block.
  c10::DeleterFnPtr raw_deleter() const override {
    return scope_device < 0 ? host_->raw_deleter() : nullptr;
  }

  void copy_data(void* destination, const void* source, size_t bytes) const override {
    host_->copy_data(destination, source, bytes);
  }

 private:
  c10::Allocator* const host_;
};

}  // namespace

void install_result_allocator() {
  static ResultAllocator* const allocator =
      new ResultAllocator(c10::GetAllocator(c10::DeviceType::CPU));
  c10::SetAllocator(c10::DeviceType::CPU, allocator, /*priority=*/1);
}

ResultScope::ResultScope(c10::DeviceIndex device) : previous_(scope_device) {
  scope_device = device;
}

ResultScope::~ResultScope() { scope_device = previous_; }

}  // namespace sidra::aten
