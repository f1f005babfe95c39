#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/timeline/replay.h"

namespace systole::sim {

/// What is traced up to a failure where nothing else was asked for.
constexpr std::uint64_t kClocksBeforeFailure = 2000;

/// Which clocks of a program to write, counted from the first in which the device is busy, as in
/// its timeline. Nothing set: all of them.
struct TracedClocks {
  std::optional<std::uint64_t> first = {}, last = {};  ///< both included
  std::optional<std::uint32_t> command = {};  ///< those in which an engine does this command
  std::optional<std::uint64_t> before_end =
      {};  ///< so many, up to where the program ends or faults
};

struct TracedProgram {
  ProgramResult result;
  std::uint64_t first_clock = 0;  ///< clock 0 of the program, in clocks of the file
};

/// Runs the program again on the RTL in Verilator and writes every signal of those clocks as FST,
/// for GTKWave. Returns what came of it, as the first time.
///
/// Units    clock c of the file is the time 2 c, at which registers change, and 2 c + 1, at which
///          inputs do
/// Limits   arrays whose RTL this build has Verilated (SYSTOLE_ARRAYS)
/// Errors   std::invalid_argument for another array, a command that no engine does, clocks after
///          the end, and a build without Verilator; std::runtime_error for a file that cannot be
///          written
TracedProgram trace_program(const KeptProgram& program, int array_size, const TracedClocks& clocks,
                            const std::string& file, const MemoryBehaviour& behaviour = {});

/// Throws as trace_program would, before any work is done.
void require_traceable(int array_size);

}  // namespace systole::sim
