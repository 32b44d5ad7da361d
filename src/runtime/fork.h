// What a forked child may still do: as with CUDA, nothing with a device its parent has used.
#pragma once

namespace sidra::runtime {

// Installs the handlers, once per process.
void watch_forks();

}  // namespace sidra::runtime
