#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hls/compiler/dataflow/network.h"
#include "hls/compiler/loops/compile_kernel.h"

namespace systole::compiler {

/// A run of a network while no port of it stalls.
struct NetworkRun {
  std::int64_t clocks = 0;  ///< from `start_i` to `done_o`
  /// For each process, from its start to its end, the first runs.
  std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> spans;
};

/// Compares what runs push into each stream and pop from it, and marks those of which that depends
/// on data: they `may_leave` elements.
///
/// Errors   Refusal for a stream that is surely left with elements, and for one that goes on from
///          run to run and may be
void check_counts(Network& network, const std::vector<const CompiledKernel*>& processes);

/// Runs a joined network, clock by clock, by what its processes ask of their streams; nothing where
/// a process's trace depends on data, or the run is very long. After check_counts().
///
/// Errors   Refusal for a deadlock
std::optional<NetworkRun> simulate_network(const Network& network,
                                           const std::vector<const CompiledKernel*>& processes);

}  // namespace systole::compiler
