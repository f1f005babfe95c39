#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sim/device/device_port.h"

namespace systole::sim {

/// Tells a working device from a hung one: between two checks, some counter must have advanced.
class Watchdog {
 public:
  /// Checks the device's registers, `clocks` after the last check.
  ///
  /// Errors   DeviceError with their values if nothing has moved since then
  void look(DevicePort& port, std::uint64_t clocks);

 private:
  struct State {
    std::uint32_t status = 0, head = 0, tail = 0, marker = 0;
    std::array<std::uint64_t, device::kCounters> counters{};
  };
  static State read(DevicePort& port);
  static bool moved(const State& before, const State& after);
  static std::string describe(const State& before, const State& after, std::uint64_t clocks);

  bool has_looked_ = false;
  State last_;
};

}  // namespace systole::sim
