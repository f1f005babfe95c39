#pragma once

#include <cstdint>
#include <string>

#include "sim/timeline/traced_replay.h"
#include "sim/verify/verification.h"
#include "sim/verilator/trace_window.h"

namespace systole::sim {

/// Reruns a case of `systole verify` on the RTL in Verilator, with its memory and host, and writes
/// every signal of the chosen clocks as FST for GTKWave. Returns those clocks.
///
/// Units    clocks from the first after reset, as a Difference counts them; clock c is the time 2 c
///          of the file. A command is one of the case's first program.
/// Limits   arrays in SYSTOLE_ARRAYS
/// Errors   std::invalid_argument for another array, a command that is not handed on, and clocks
///          after the end; std::runtime_error for a file that cannot be written
TraceWindow trace_case(const verify::Case& which, const TracedClocks& clocks,
                       const std::string& file);

/// The same for the last 2,000 clocks before a difference was found. If the device had hung by
/// then, they lie around the last clock in which it did something.
TraceWindow trace_difference(const verify::Case& which, const verify::Difference& difference,
                             const std::string& file);

}  // namespace systole::sim
