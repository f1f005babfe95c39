#pragma once

#include <cstdint>
#include <string>

#include "sim/timeline/traced_replay.h"
#include "sim/verify/verification.h"
#include "sim/verilator/trace_window.h"

namespace systole::sim {

/// Runs a case of `systole verify` again on the RTL in Verilator, with its memory and its host, and
/// writes every signal of the clocks that were chosen as FST, for GTKWave. Returns what was chosen.
///
/// Units    clocks from the first after reset, as a Difference counts them; clock c is the time 2 c
///          of the file. A command is one of the case's first program.
/// Limits   arrays whose RTL this build has Verilated (SYSTOLE_ARRAYS)
/// Errors   std::invalid_argument for another array, a command that is not handed on, and clocks
///          after the end; std::runtime_error for a file that cannot be written
TraceWindow trace_case(const verify::Case& which, const TracedClocks& clocks,
                       const std::string& file);

/// The same for the last 2,000 clocks before a difference was found. Where a device has hung by
/// then, these lie around the last clock in which it did something.
TraceWindow trace_difference(const verify::Case& which, const verify::Difference& difference,
                             const std::string& file);

}  // namespace systole::sim
