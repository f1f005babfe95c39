#pragma once

#include <cstdint>
#include <functional>

#include "host/device/device_map.h"

namespace systole::sim {

/// The accelerator's activity in one clock.
struct Activity {
  struct Command {
    bool taken = false;  ///< at the edge that ends this clock
    std::uint32_t index = 0;
    device::CommandWord word = {};
  };
  struct Engine {
    Command command;
    bool idle = true;
  };
  std::uint32_t counting = 0;  ///< bit c: Count c advances at the edge that ends this clock
  bool fetching = false;
  Command handed_on;  ///< from the sequencer to an engine
  Engine load, compute, store, vector;
};

/// Called for each clock, counted from the first after reset.
using ActivityObserver = std::function<void(const Activity& activity, std::uint64_t clock)>;

}  // namespace systole::sim
