#pragma once

#include <memory>

#include "host/device/action_counts.h"
#include "host/device/device_memory.h"
#include "sim/device/device_harness.h"

namespace systole::tests {

/// The RTL of the 4 x 4 array with action_watch.sv's watches.
std::unique_ptr<sim::DevicePort> make_watched_accelerator(DeviceMemory& memory,
                                                          const sim::MemoryBehaviour& behaviour,
                                                          const sim::HarnessOptions& options);

/// What the watches of all watched accelerators of this process have counted.
ActionCounts watched_actions();

}  // namespace systole::tests
