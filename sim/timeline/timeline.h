#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/device/device_map.h"

namespace systole::sim {

/// An engine's activity in the clocks [begin, end).
struct Slice {
  std::uint64_t begin = 0, end = 0;
  std::uint32_t label = 0;  ///< of Timeline::labels
};

/// Slices in order, without overlap.
struct Track {
  std::string engine;  ///< fetch, sequencer, load, compute, store, vector, bus
  std::string name;    ///< "commands", "busy", "waits for data", ...
  std::vector<Slice> slices = {};
};

struct Label {
  std::string name;
  std::optional<device::Count> count = {};    ///< the counter that counts these clocks
  std::optional<std::uint32_t> command = {};  ///< its index in its program
  std::string detail = {};                    ///< the whole command in words
};

/// What every engine did in every clock of some programs, laid end to end.
///
/// Units    device clocks, from 0; idle clocks between two programs are left out
/// Numbers  clocks_of(count) equals the device's counter exactly
struct Timeline {
  std::vector<Track> tracks;
  std::vector<Label> labels;
  std::uint64_t clocks = 0;
  std::uint64_t first_clock = 0;  ///< clock 0 of the last program, in clocks of its simulation
  std::array<std::uint64_t, device::kCounters> counts{};  ///< the device's counters

  std::uint64_t clocks_of(device::Count count) const;
};

/// The timeline in the trace-event format that Perfetto (ui.perfetto.dev) and chrome://tracing
/// read: a process for each engine, a thread for each track. A clock becomes a microsecond.
std::string trace_events(const Timeline& timeline);

/// Likewise of cores that ran one program each together, core 0's first: each core has processes of
/// its own, and all have the same clock 0, in which the first core began.
///
/// Limits   the cores' simulations began together
std::string trace_events(std::span<const Timeline> cores);

}  // namespace systole::sim
