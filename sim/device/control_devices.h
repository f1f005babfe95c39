#pragma once

#include <memory>
#include <span>

#include "host/driver/device_memory.h"
#include "sim/device/device_harness.h"
#include "sim/device/device_port.h"

namespace systole::sim {

/// Array sizes whose clocks this build can count, ascending.
std::span<const int> control_sizes();

/// The accelerator's HLS C++ without its data path, run natively, with its memory; reset. It reads
/// commands from memory and writes nothing to it; registers, counters and faults are those of the
/// whole device, in every clock.
/// Errors   std::invalid_argument for a size that control_sizes() does not name
std::unique_ptr<DevicePort> make_control_device(int array_size, DeviceMemory& memory,
                                                const MemoryBehaviour& behaviour = {},
                                                const HarnessOptions& options = {});

}  // namespace systole::sim
