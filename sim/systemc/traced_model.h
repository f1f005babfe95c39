#pragma once

#include <memory>

#include "sim/systemc/device_model.h"
#include "sim/verilator/trace_window.h"

namespace systole::sim {

/// The Verilated accelerator, with every signal in the window written to an FST file for GTKWave.
/// Runs are deterministic, so a failed run can be repeated with a window around the failure.
///
/// Units    clock c is the times 2 c and 2 c + 1 of the file
/// Limits   N one of SYSTOLE_ARRAYS
/// Timing   the file is complete in the clock after the window, or when the model is destroyed
/// Errors   std::invalid_argument for another size; std::runtime_error for a file that cannot be
///          written
std::unique_ptr<DeviceModel> make_traced_model(int array_size, TraceWindow window);

}  // namespace systole::sim
