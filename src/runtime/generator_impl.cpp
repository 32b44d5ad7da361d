#include "runtime/generator_impl.h"

#include <mutex>
#include <string>

#include "runtime/device.h"
#include "runtime/error.h"

namespace sidra::runtime {

using Lock = std::lock_guard<std::mutex>;

SidraGeneratorImpl::SidraGeneratorImpl(c10::DeviceIndex device,
                                       c10::intrusive_ptr<at::CPUGeneratorImpl> host)
    : c10::GeneratorImpl(c10::Device(kDeviceType, device),
                         c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
      host_(std::move(host)) {}

void SidraGeneratorImpl::set_current_seed(uint64_t seed) {
  const Lock lock(host_->mutex_);
  host_->set_current_seed(seed);
}

uint64_t SidraGeneratorImpl::current_seed() const {
  const Lock lock(host_->mutex_);
  return host_->current_seed();
}

uint64_t SidraGeneratorImpl::seed() {
  const Lock lock(host_->mutex_);
  return host_->seed();
}

void SidraGeneratorImpl::set_offset(uint64_t offset) {
  if (offset == 0) return;
  raise(ErrorKind::kRuntime, "sidra Generator does not use offset: " + std::to_string(offset) +
                                 " cannot be set; use get_state and set_state");
}

uint64_t SidraGeneratorImpl::get_offset() const { return 0; }

void SidraGeneratorImpl::set_state(const c10::TensorImpl& state) {
  const Lock lock(host_->mutex_);
  host_->set_state(state);
}

c10::intrusive_ptr<c10::TensorImpl> SidraGeneratorImpl::get_state() const {
  const Lock lock(host_->mutex_);
  return host_->get_state();
}

void SidraGeneratorImpl::graphsafe_set_state(const c10::intrusive_ptr<c10::GeneratorImpl>& state) {
  if (state->device().type() != kDeviceType) {
    raise(ErrorKind::kRuntime,
          "Expected a 'sidra' device type for generator but found '" + state->device().str() + "'");
  }
  host_ = static_cast<const SidraGeneratorImpl&>(*state).host_;
}

c10::intrusive_ptr<c10::GeneratorImpl> SidraGeneratorImpl::graphsafe_get_state() const {
  return c10::make_intrusive<SidraGeneratorImpl>(device_.index(), host_);
}

c10::DeviceType SidraGeneratorImpl::device_type() { return kDeviceType; }

SidraGeneratorImpl* SidraGeneratorImpl::clone_impl() const {
  const Lock lock(host_->mutex_);
  // The CPU generator's own clone() returns a shared_ptr; the base's returns what we keep.
  auto copy = static_cast<const c10::GeneratorImpl&>(*host_).clone();
  return new SidraGeneratorImpl(device_.index(),
                                c10::intrusive_ptr<at::CPUGeneratorImpl>::reclaim(
                                    static_cast<at::CPUGeneratorImpl*>(copy.release())));
}

}  // namespace sidra::runtime
