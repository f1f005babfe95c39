#pragma once

#include <memory>

#include "host/device/device_memory.h"
#include "sim/device/device_harness.h"
#include "sim/device/device_port.h"

namespace systole::sim {

/// The accelerator's HLS C++, run natively, with its memory, after a reset.
///
/// Errors   std::invalid_argument for a size that NativeSizes does not name (by_array_size.h), or
///          a bus that it does not run with
std::unique_ptr<DevicePort> make_native_device(int array_size, DeviceMemory& memory,
                                               const MemoryBehaviour& behaviour = {},
                                               const HarnessOptions& options = {});

/// The same, in lockstep with the accelerator without its data path: their outputs are compared in
/// every clock.
///
/// Errors   std::invalid_argument as above; using the device throws LockstepError once they differ
std::unique_ptr<DevicePort> make_native_lockstep_device(int array_size, DeviceMemory& memory,
                                                        const MemoryBehaviour& behaviour = {},
                                                        const HarnessOptions& options = {});

}  // namespace systole::sim
