#pragma once

#include <fmt/format.h>

#include "host/driver/device.h"
#include "sim/device/sequencer.h"

namespace systole {

/// Runs a product on a simulated matrix unit, one rising edge at a time, until its last row is out.
///
/// Limits   the unit is reset; whatever its other registers hold is overwritten before it is used
/// Timing   counters().cycles is the number of edges
/// Errors   DeviceError, with the clock and the engines' states, when nothing has moved for longer
///          than any row takes through the unit, and when a row comes back that was not read. The
///          unit must be reset afterwards.
template <SimulatedUnit Unit>
UnitCounters run_product(Unit& unit, Sequencer& sequencer, const UnitTiming& timing) {
  const Clock longest_wait = 4 * (timing.array_cycles + timing.array_size);
  Beat beat;
  while (!sequencer.done()) {
    sequencer.issue(beat);
    if (unit.tick(beat)) sequencer.collect(unit.result());
    if (sequencer.idle_clocks() > longest_wait) {
      throw DeviceError(fmt::format("the matrix unit hangs: nothing has moved for {} clocks; {}",
                                    longest_wait, sequencer.describe()));
    }
  }
  return sequencer.counters();
}

}  // namespace systole
