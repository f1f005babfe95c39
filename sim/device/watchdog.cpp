#include "sim/device/watchdog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "host/device/device.h"
#include "sim/device/progress.h"

namespace systole::sim {
namespace {

using device::Count;
using device::Register;

// Counters that advance only when work is done, or while a core waits for a neighbour, which its
// own patience ends; the others also count waiting.
constexpr Count kWork[] = {Count::kCommands,       Count::kRows,       Count::kTiles,
                           Count::kReadBeats,      Count::kWriteBeats, Count::kLinkWaitForBeat,
                           Count::kLinkWaitForRoom};

std::string status_in_words(std::uint32_t status) {
  std::vector<std::string_view> words;
  if (status & device::kBusy) words.emplace_back("busy");
  if (status & device::kFaulted) words.emplace_back("faulted");
  if (status & device::kWaitsForHost) words.emplace_back("waits for the host");
  if (status & device::kResetting) words.emplace_back("resetting");
  return words.empty() ? "idle" : fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

void Watchdog::look(DevicePort& port, std::uint64_t clocks) {
  const State state = read(port);
  if (has_looked_ && !moved(last_, state)) throw DeviceError(describe(last_, state, clocks));
  has_looked_ = true;
  last_ = state;
  tell_progress({.done = state.head, .commands = state.tail});
}

Watchdog::State Watchdog::read(DevicePort& port) {
  return {.status = port.read_register(Register::kStatus),
          .head = port.read_register(Register::kRingHead),
          .tail = port.read_register(Register::kRingTail),
          .marker = port.read_register(Register::kMarker),
          .counters = port.read_counters()};
}

bool Watchdog::moved(const State& before, const State& after) {
  if (before.status != after.status || before.head != after.head) return true;
  for (const Count count : kWork) {
    const auto i = static_cast<std::size_t>(count);
    if (before.counters[i] != after.counters[i]) return true;
  }
  return false;
}

std::string Watchdog::describe(const State& before, const State& after, std::uint64_t clocks) {
  std::string text = fmt::format(
      "the device hangs: no interrupt, and nothing has moved for {} clocks; status {:#x} ({}), "
      "head {}, tail {}, marker {:#x}; counters (in the last {} clocks)",
      clocks, after.status, status_in_words(after.status), after.head, after.tail, after.marker,
      clocks);
  for (std::size_t i = 0; i < after.counters.size(); ++i) {
    text += fmt::format("{} {} {} (+{})", i == 0 ? ":" : ",", device::kCounterNames[i],
                        after.counters[i], after.counters[i] - before.counters[i]);
  }
  return text;
}

}  // namespace systole::sim
