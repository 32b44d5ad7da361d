// The configuration text of instance_create: `key=value` lines, later ones override.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "drivers/sim/spec.h"

namespace sidra::sim {

struct Config {
  ChipSpec spec;  // the preset y1, then `preset` and fields in the order given
  uint64_t devices = 1;
  bool strict_memory = false;   // `memory=strict`: host access to device addresses faults
  bool threaded_queue = false;  // `queue=thread`: a worker a stream
  uint64_t seed = 0;            // of the noise models
};

// Throws Error: an unknown key, a missing or bad value, a chip that does not hang together.
Config parse_config(std::string_view text);

// Calls `take` with key and value of each line that is not blank. Throws Error for a line without
// '=', with an empty key or an empty value.
void for_each_line(std::string_view text,
                   const std::function<void(std::string_view, std::string_view)>& take);

}  // namespace sidra::sim
