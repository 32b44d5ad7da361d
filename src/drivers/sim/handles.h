// The opaque handles of the ABI and what they stand for.
#pragma once

#include "drivers/sim/instance.h"
#include "sidra/driver.h"

namespace sidra::sim {

inline sidra_instance* handle(Instance* instance) {
  return reinterpret_cast<sidra_instance*>(instance);
}
inline sidra_stream* handle(Stream* stream) { return reinterpret_cast<sidra_stream*>(stream); }
inline sidra_event* handle(Event* event) { return reinterpret_cast<sidra_event*>(event); }
inline sidra_weight* handle(Weight* weight) { return reinterpret_cast<sidra_weight*>(weight); }

inline Instance* behind(sidra_instance* handle) { return reinterpret_cast<Instance*>(handle); }
inline Stream* behind(sidra_stream* handle) { return reinterpret_cast<Stream*>(handle); }
inline Event* behind(sidra_event* handle) { return reinterpret_cast<Event*>(handle); }
inline Weight* behind(sidra_weight* handle) { return reinterpret_cast<Weight*>(handle); }
inline const Weight* behind(const sidra_weight* handle) {
  return reinterpret_cast<const Weight*>(handle);
}

}  // namespace sidra::sim
