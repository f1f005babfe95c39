#include "host/cli/trace_options.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>
#include <string_view>

#include "host/cli/file_options.h"
#include "host/cli/usage_error.h"
#include "host/data/atomic_file.h"

namespace systole {
namespace {

std::uint64_t parse_clock(std::string_view word, const std::string& window) {
  std::uint64_t clock = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), clock);
  if (error == std::errc() && end == word.data() + word.size() && !word.empty()) return clock;
  throw UsageError(fmt::format(
      "--trace-window {}: give two clocks, as 100:250, or several pairs, as 100:250,900:999",
      window));
}

sim::ClockRange parse_range(std::string_view text, const std::string& window) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) parse_clock("", window);
  const sim::ClockRange range{parse_clock(text.substr(0, colon), window),
                              parse_clock(text.substr(colon + 1), window)};
  if (range.first <= range.last) return range;
  throw UsageError(fmt::format("--trace-window {}: it ends before it begins", window));
}

}  // namespace

CLI::Option* add_trace_options(CLI::App& command, TraceOptions& options, const std::string& what,
                               const std::string& clocks) {
  auto* trace =
      writes_file(command.add_option("--trace", options.path, what)->type_name("FILE.fst"));
  auto* window = command
                     .add_option("--trace-window", options.window,
                                 fmt::format("Only these clocks of the {}, both included", clocks))
                     ->needs(trace)
                     ->type_name("A:B,...");
  command
      .add_option("--trace-command", options.command,
                  "Only the clocks from this command's issue to its completion")
      ->needs(trace)
      ->excludes(window)
      ->type_name("INDEX");
  return trace;
}

sim::TracedClocks traced_clocks(const TraceOptions& options) {
  sim::TracedClocks clocks;
  clocks.command = options.command;
  const std::string& window = options.window;
  if (window.empty()) return clocks;
  std::string_view rest = window;
  while (true) {
    const std::size_t comma = rest.find(',');
    const sim::ClockRange part = parse_range(rest.substr(0, comma), window);
    if (!clocks.first) {
      clocks.first = part.first;
    } else if (part.first <= *clocks.last) {
      throw UsageError(fmt::format("--trace-window {}: {} does not follow {}", window, part.first,
                                   *clocks.last));
    } else {
      clocks.gaps.push_back({*clocks.last + 1, part.first - 1});
    }
    clocks.last = part.last;
    if (comma == std::string_view::npos) return clocks;
    rest.remove_prefix(comma + 1);
  }
}

void require_traceable(const TraceOptions& options, int array_size, int bus_bytes) {
  traced_clocks(options);
  as_usage([&] { sim::require_traceable(array_size, bus_bytes); });
  need_writable(options.path);
}

}  // namespace systole
