// Leaving the process while streams are busy.
#pragma once

namespace sidra::conformance {

// Fills two streams with work and returns without waiting, as a process does that ends in the
// middle of a model. The caller returns from main: the process must end, soon and with status 0.
void leave_busy();

}  // namespace sidra::conformance
