#pragma once

#include <memory>

#include "sim/systemc/device_model.h"
#include "sim/verilator/trace_window.h"

namespace systole::sim {

/// The Verilated accelerator, every signal of the window in an FST file, for GTKWave. A run is the
/// same every time: what has failed in a clock is run again with a window around it.
///
/// Units    clock c is the time 2 c and 2 c + 1 of the file
/// Limits   N is what this build has Verilated (SYSTOLE_ARRAYS)
/// Timing   the file is complete when the clock after the window has come, or the model goes
/// Errors   std::invalid_argument for another size; std::runtime_error for a file that cannot be
///          written
std::unique_ptr<DeviceModel> make_traced_model(int array_size, TraceWindow window);

}  // namespace systole::sim
