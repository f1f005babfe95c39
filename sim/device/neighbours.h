#pragma once

#include "sim/memory/axi_signals.h"

namespace systole::sim {

/// What a simulated core meets at its links, clock by clock. A core without one has no neighbours.
class Neighbours {
 public:
  virtual ~Neighbours() = default;

  /// Sets `up` and `down`, which depend on registers alone.
  virtual void show(ToDevice& to) const = 0;
  /// The edge at the end of a clock in which the core showed `from` and met `to`.
  virtual void clock(const FromDevice& from, const ToDevice& to) = 0;
};

}  // namespace systole::sim
