#pragma once

#include <span>
#include <vector>

#include "host/distribute/line_ranks.h"
#include "sim/device/program_interpreter.h"

namespace systole {

/// One core of a line: its interpreter, whose windows are open, and its program.
struct InterpretedCore {
  ProgramInterpreter* interpreter = nullptr;
  std::span<const device::CommandWord> commands;
};

/// Executes the programs of cores in a line together, core 0's first: each goes on until it waits
/// for a neighbour. When none can go on, those that wait have neighbours that will never send,
/// which is a link_stall. The line goes on over `ranks`.
///
/// Timing   tells of each command (sim::Progress)
/// Errors   each core's fault is returned; length_error as ProgramInterpreter
std::vector<ProgramFault> interpret_line(std::span<const InterpretedCore> cores,
                                         const LineRanks& ranks = {});

}  // namespace systole
