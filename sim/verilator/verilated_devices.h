#pragma once

#include <memory>
#include <span>

#include "host/device/device_memory.h"
#include "sim/device/device_harness.h"
#include "sim/device/device_port.h"

namespace systole::sim {

/// The array sizes whose accelerator this build has Verilated (SYSTOLE_ARRAYS), ascending.
std::span<const int> verilated_device_sizes();

/// Whether it has the array with this bus; 0 is N bytes.
bool has_verilated_device(int array_size, int bus_bytes);

/// The accelerator's RTL in Verilator, with its memory, after a reset.
///
/// Errors   std::invalid_argument for a size that verilated_device_sizes() does not name, or a bus
///          that it does not have
std::unique_ptr<DevicePort> make_verilated_device(int array_size, DeviceMemory& memory,
                                                  const MemoryBehaviour& behaviour = {},
                                                  const HarnessOptions& options = {});

/// The RTL in lockstep with the native HLS C++, which must show the same in every clock.
///
/// Errors   as above; using the device throws LockstepError once they differ
std::unique_ptr<DevicePort> make_lockstep_device(int array_size, DeviceMemory& memory,
                                                 const MemoryBehaviour& behaviour = {},
                                                 const HarnessOptions& options = {});

}  // namespace systole::sim
