#pragma once

#include <memory>

#include "host/device/device_memory.h"
#include "sim/device/device_harness.h"
#include "sim/device/device_port.h"
#include "sim/timeline/activity.h"

namespace systole::sim {

/// The device of make_control_device, showing every clock to `observe`.
///
/// Errors   std::invalid_argument for a size that control_sizes() does not name
std::unique_ptr<DevicePort> make_recorded_device(int array_size, DeviceMemory& memory,
                                                 const MemoryBehaviour& behaviour,
                                                 const HarnessOptions& options,
                                                 ActivityObserver observe);

}  // namespace systole::sim
