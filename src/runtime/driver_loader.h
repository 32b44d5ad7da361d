// The driver in use: loaded from the library that SIDRA_DRIVER names, opened once per process.
#pragma once

#include <string>
#include <vector>

#include "sidra/driver.h"

namespace sidra::runtime {

struct Driver {
  const sidra_driver* table;
  sidra_instance* instance;
  int32_t device_count;
  std::vector<sidra_device_properties> properties;  // [device_count]
  std::string path;                                 // of the shared library
  bool completes_at_submission;                     // of every device
  bool host_coherent;  // of every device, host pointers equal to addresses: operators run in place
};

// What to open. Called before the first use, from Python with the settings of env.py; without it
// the library is `sim` beside this one and the config `preset=$SIDRA_CHIP`.
void configure_driver(std::string path_or_name, std::string config);

// Opens the driver on first use. Raises kDriver with one sentence that says what is wrong (no such
// file, not a driver, ABI too old or too new, refused the configuration) and what would work.
// The instance is never destroyed: tensors may outlive every destructor at exit.
const Driver& driver();

// Whether driver() would work; opens it, never throws.
bool driver_available() noexcept;
// Why not, or "".
std::string driver_error();
// What the driver says it is made of, a JSON object; "{}" when it says nothing.
std::string driver_description();

}  // namespace sidra::runtime
