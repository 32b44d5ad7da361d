// A generator of the device whose state is that of an inner CPU generator.
#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/GeneratorImpl.h>

namespace sidra::runtime {

// The inner generator is what CPU kernels draw from, so its lock guards the state; the outer one's
// is the caller's business, as for every generator.
class SidraGeneratorImpl final : public c10::GeneratorImpl {
 public:
  SidraGeneratorImpl(c10::DeviceIndex device, c10::intrusive_ptr<at::CPUGeneratorImpl> host);

  const c10::intrusive_ptr<at::CPUGeneratorImpl>& host() const { return host_; }

  void set_current_seed(uint64_t seed) override;
  uint64_t current_seed() const override;
  uint64_t seed() override;
  // The state has no offset, as on the CPU: it reads 0, which lets a generator be pickled, and
  // nothing else may be set.
  void set_offset(uint64_t offset) override;
  uint64_t get_offset() const override;
  void set_state(const c10::TensorImpl& state) override;
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override;
  // These share the state instead of copying it.
  void graphsafe_set_state(const c10::intrusive_ptr<c10::GeneratorImpl>& state) override;
  c10::intrusive_ptr<c10::GeneratorImpl> graphsafe_get_state() const override;

  static c10::DeviceType device_type();

 private:
  SidraGeneratorImpl* clone_impl() const override;

  c10::intrusive_ptr<at::CPUGeneratorImpl> host_;
};

}  // namespace sidra::runtime
