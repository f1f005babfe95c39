#pragma once

#include <memory>
#include <span>

#include "host/driver/device_memory.h"
#include "sim/device/device_harness.h"
#include "sim/verilator/trace_window.h"

namespace systole::sim {

/// Array sizes whose signals this build can write (SYSTOLE_ARRAYS), ascending.
std::span<const int> traced_device_sizes();

/// The RTL in Verilator as make_verilated_device makes it, with every signal of the window in an
/// FST file, for GTKWave.
///
/// Limits   of arrays those of up to 256 elements: all registers of the array, no buffers
/// Timing   the file is complete when the clock after the window has come, or the device goes
/// Errors   std::invalid_argument for a size that traced_device_sizes() does not name;
///          std::runtime_error for a file that cannot be written
std::unique_ptr<DevicePort> make_traced_device(int array_size, DeviceMemory& memory,
                                               TraceWindow window,
                                               const MemoryBehaviour& behaviour = {},
                                               const HarnessOptions& options = {.monitors = false});

}  // namespace systole::sim
