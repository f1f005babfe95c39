#include "sim/timeline/traced_replay.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "host/device/register_driver.h"
#include "sim/timeline/replay_memory.h"
#include "sim/verilator/traced_devices.h"

namespace systole::sim {
namespace {

struct Clocks {
  std::uint64_t first, last;
};

// From the clock in which the command is handed on to the last in which it occupies its engine.
Clocks clocks_of_command(const Timeline& timeline, std::uint32_t command) {
  Clocks clocks{~std::uint64_t{0}, 0};
  for (const Track& track : timeline.tracks) {
    for (const Slice& slice : track.slices) {
      if (timeline.labels[slice.label].command != command) continue;
      clocks.first = std::min(clocks.first, slice.begin);
      clocks.last = std::max(clocks.last, slice.end);
    }
  }
  if (clocks.first <= clocks.last) return clocks;
  throw std::invalid_argument(
      fmt::format("no command {} was handed on: the program has {}, counted from 0", command,
                  timeline.counts[static_cast<std::size_t>(device::Count::kCommands)]));
}

Clocks choose(const Timeline& timeline, const TracedClocks& wanted) {
  if (wanted.command) return clocks_of_command(timeline, *wanted.command);
  const std::uint64_t end = timeline.clocks;
  if (wanted.before_end) return {end - std::min(end, *wanted.before_end), end};
  const Clocks clocks{wanted.first.value_or(0), wanted.last.value_or(end)};
  if (clocks.first <= clocks.last && clocks.first < end) return clocks;
  throw std::invalid_argument(fmt::format("clocks {} to {} cannot be traced: the program takes {}",
                                          clocks.first, clocks.last, end));
}

}  // namespace

void require_traceable(int array_size, int bus_bytes) {
  if (bus_bytes != 0 && bus_bytes != array_size) {
    throw std::invalid_argument(fmt::format(
        "cannot trace a {0} x {0} array with a bus of {1} bytes: its traced RTL has a bus of {0}",
        array_size, bus_bytes));
  }
  const auto sizes = traced_device_sizes();
  if (sizes.empty()) {
    throw std::invalid_argument(
        "this build cannot trace: configure with -DSYSTOLE_TRACES=ON and rebuild");
  }
  if (std::find(sizes.begin(), sizes.end(), array_size) != sizes.end()) return;
  throw std::invalid_argument(fmt::format("cannot trace a {0} x {0} array: choose --array from {1}",
                                          array_size, fmt::join(sizes, ", ")));
}

TracedProgram trace_program(const KeptProgram& program, int array_size, const TracedClocks& clocks,
                            const std::string& file, const MemoryBehaviour& behaviour) {
  require_traceable(array_size, behaviour.bus_bytes);
  // The same registers are written in the same clocks, so the program starts in the same clock.
  const Timeline timeline = record_timeline({&program, 1}, array_size, behaviour);
  const Clocks chosen = choose(timeline, clocks);
  TraceWindow window{.file = file,
                     .first = timeline.first_clock + chosen.first,
                     .last = timeline.first_clock + chosen.last};
  for (const auto& [first, last] : clocks.gaps)
    window.gaps.push_back({timeline.first_clock + first, timeline.first_clock + last});
  auto memory = replay_memory(program);
  auto port = make_traced_device(array_size, *memory, std::move(window), behaviour);
  RegisterDriver driver(std::move(memory), std::move(port));
  return {.result = driver.run(placed(program)), .first_clock = timeline.first_clock};
}

}  // namespace systole::sim
