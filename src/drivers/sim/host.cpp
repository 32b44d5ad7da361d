#include "drivers/sim/host.h"

#include "drivers/abi/arguments.h"

namespace sidra::sim {

Host::Host(const sidra_host_services* services) {
  if (services == nullptr) return;
  Arguments ours("instance_create: services", const_cast<sidra_host_services*>(services));
  context_ = ours->context;
  parallel_for_ = ours->parallel_for;
  matmul_ = ours->matmul_f32;
}

}  // namespace sidra::sim
