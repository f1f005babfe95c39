#pragma once

#include <memory>

#include "host/driver/device_memory.h"
#include "sim/device/device_harness.h"
#include "sim/verilator/trace_window.h"

namespace systole::sim {

/// The RTL in Verilator as make_verilated_device makes it, with every signal of the window in an
/// FST file, for GTKWave.
///
/// Timing   the file is complete when the clock after the window has come, or the device goes
/// Errors   std::invalid_argument for a size other than 4; std::runtime_error for a file that
///          cannot be written
std::unique_ptr<DevicePort> make_traced_device(int array_size, DeviceMemory& memory,
                                               TraceWindow window,
                                               const MemoryBehaviour& behaviour = {});

}  // namespace systole::sim
