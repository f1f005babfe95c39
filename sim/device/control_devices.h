#pragma once

#include <memory>
#include <span>

#include "host/device/device_memory.h"
#include "sim/device/device_harness.h"
#include "sim/device/device_port.h"

namespace systole::sim {

/// The array sizes whose clocks this build can count, in ascending order.
std::span<const int> control_sizes();

/// The accelerator's HLS C++ without its data path, run natively with its memory, after a reset. It
/// reads commands from memory and writes nothing. In every clock its registers, counters and faults
/// equal those of the whole device.
///
/// Errors   std::invalid_argument for a size that control_sizes() does not name
std::unique_ptr<DevicePort> make_control_device(int array_size, DeviceMemory& memory,
                                                const MemoryBehaviour& behaviour = {},
                                                const HarnessOptions& options = {});

}  // namespace systole::sim
