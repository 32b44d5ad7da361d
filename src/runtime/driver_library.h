// A driver's shared library: where it is, and whether it is one.
#pragma once

#include <string>

#include "sidra/driver.h"

namespace sidra::runtime {

// The path that a value of SIDRA_DRIVER names: itself when it holds a '/' or ends in ".so", else
// libsidra_driver_<name>.so beside this library.
std::string driver_path(const std::string& path_or_name);

// Loads the library and returns its table, checked: major version, length, no empty entry. Raises
// kDriver with one sentence that says what is wrong and what would work. It is never unloaded.
const sidra_driver* load_driver_table(const std::string& path);

}  // namespace sidra::runtime
