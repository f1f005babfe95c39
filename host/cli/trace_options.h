#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/timeline/traced_replay.h"

namespace systole {

/// What goes with --trace, for all commands that have it: which clocks are written.
struct TraceOptions {
  std::string path;
  std::string window;  ///< "A:B"
  std::optional<std::uint32_t> command;

  bool asked() const { return !path.empty(); }
};

/// Adds --trace, --trace-window and --trace-command; the option --trace, for others that need it.
/// `what` says what it writes, `clocks` what the window counts.
CLI::Option* add_trace_options(CLI::App& command, TraceOptions& options, const std::string& what,
                               const std::string& clocks);

/// The clocks that were asked for.
/// Errors   UsageError for a window that is none
sim::TracedClocks traced_clocks(const TraceOptions& options);

/// Refuses what cannot be traced, before any work is done.
/// Errors   UsageError for an array that cannot be traced, and for a window that is none;
///          std::runtime_error for a file that cannot be written
void require_traceable(const TraceOptions& options, int array_size);

}  // namespace systole
