#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "sim/device/device_port.h"

namespace systole::sim {

/// Simulated cores in a line, fresh from their reset, with idle links.
class LineCores {
 public:
  virtual ~LineCores() = default;

  virtual std::span<const std::shared_ptr<DevicePort>> ports() const = 0;

  /// Calls hosts[i], which drives ports()[i], for all cores at once: clocks pass in all alike. A
  /// core whose host has returned goes on in its clocks until all have.
  ///
  /// Errors   what a host threw, that of the lowest core first; the others are given up
  virtual void run(std::span<const std::function<void()>> hosts) = 0;

  /// Holds beats from the core below for `clocks` clocks, starting now.
  virtual void stall_from_below(int core, std::uint64_t clocks) = 0;
};

}  // namespace systole::sim
