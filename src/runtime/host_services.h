// What the process lends to the driver: PyTorch's own thread pool and float32 product, so that
// torch.set_num_threads holds for the chip too and no second pool competes for the cores.
#pragma once

#include "sidra/driver.h"

namespace sidra::runtime {

const sidra_host_services* host_services();  // lives for ever

}  // namespace sidra::runtime
