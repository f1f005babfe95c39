#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/timeline/replay.h"
#include "sim/verilator/trace_window.h"

namespace systole::sim {

/// Clocks traced before a failure unless others were chosen.
constexpr std::uint64_t kClocksBeforeFailure = 2000;

/// The clocks of a program to write, counted from the first in which the device is busy, as in its
/// timeline. If nothing is set, all.
struct TracedClocks {
  std::optional<std::uint64_t> first = {}, last = {};  ///< both included
  std::vector<ClockRange> gaps = {};                   ///< of first .. last, as a TraceWindow's
  std::optional<std::uint32_t> command = {};  ///< those in which this command occupies its engine
  std::optional<std::uint64_t> before_end =
      {};  ///< the last so many before the program ends or faults
};

struct TracedProgram {
  ProgramResult result;
  std::uint64_t first_clock = 0;  ///< clock 0 of the program, in clocks of the file
};

/// Reruns the program on the RTL in Verilator and writes every signal of those clocks as FST for
/// GTKWave. Returns the same result as the first run.
///
/// Units    in clock c of the file, registers change at the time 2 c and inputs at 2 c + 1
/// Limits   arrays in SYSTOLE_ARRAYS
/// Errors   std::invalid_argument for another array, a command that no engine executes, clocks
///          after the end, and a build without Verilator; std::runtime_error for a file that
///          cannot be written
TracedProgram trace_program(const KeptProgram& program, int array_size, const TracedClocks& clocks,
                            const std::string& file, const MemoryBehaviour& behaviour = {});

/// Throws whatever trace_program would throw for this array, before any work is done.
void require_traceable(int array_size, int bus_bytes = 0);

}  // namespace systole::sim
