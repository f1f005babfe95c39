#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/timeline/traced_replay.h"

namespace systole {

/// The options of --trace, for all commands that have it: the clocks to write.
struct TraceOptions {
  std::string path;
  std::string window;  ///< "A:B,..."
  std::optional<std::uint32_t> command;

  bool asked() const { return !path.empty(); }
};

/// Adds --trace, --trace-window and --trace-command, and returns --trace for options that need it.
/// `what` and `clocks` describe, in the help, what it writes and what the window counts.
CLI::Option* add_trace_options(CLI::App& command, TraceOptions& options, const std::string& what,
                               const std::string& clocks);

/// The requested clocks.
///
/// Errors   UsageError for an invalid window
sim::TracedClocks traced_clocks(const TraceOptions& options);

/// Refuses what cannot be traced, before any work is done.
///
/// Errors   UsageError for an array that cannot be traced and for an invalid window;
///          std::runtime_error for a file that cannot be written
void require_traceable(const TraceOptions& options, int array_size, int bus_bytes = 0);

}  // namespace systole
