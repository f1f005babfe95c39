#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hls/compiler/loops/machine.h"

namespace systole::compiler {

/// What a function over arrays asks of its streams, clock by clock, in a run without stalls.
struct ProcessTrace {
  bool is_known = false;             ///< it does not depend on data, and is short enough to follow
  std::vector<std::string> streams;  ///< those it uses; bit i below is of streams[i]
  /// From the clock after `start_i` to the one before `done_o`: a machine that waits repeats it.
  std::vector<std::uint64_t> clocks;
  /// By an array that it writes: the words that it surely writes in a run.
  std::map<std::string, std::set<std::uint64_t>> written;

  /// How many elements a run moves through a stream.
  std::int64_t moved(const std::string& stream) const;
};

/// Runs a machine as built, before any pass, with everything but its control unknown.
ProcessTrace trace_machine(const Machine& machine);

}  // namespace systole::compiler
