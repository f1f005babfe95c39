#pragma once

#include <memory>
#include <span>

#include "host/device/device_memory.h"
#include "sim/device/device_harness.h"
#include "sim/verilator/trace_window.h"

namespace systole::sim {

/// The array sizes whose signals this build can trace, ascending: SYSTOLE_ARRAYS, or none without
/// SYSTOLE_TRACES.
std::span<const int> traced_device_sizes();

/// The device of make_verilated_device, with every signal in the window written to an FST file for
/// GTKWave.
///
/// Limits   no contents of buffers; the array's registers only up to 256 elements
/// Timing   the file is complete in the clock after the window, or when the device is destroyed
/// Errors   std::invalid_argument for a size that traced_device_sizes() does not name;
///          std::runtime_error for a file that cannot be written
std::unique_ptr<DevicePort> make_traced_device(int array_size, DeviceMemory& memory,
                                               TraceWindow window,
                                               const MemoryBehaviour& behaviour = {},
                                               const HarnessOptions& options = {.monitors = false});

}  // namespace systole::sim
