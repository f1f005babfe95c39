#pragma once

#include "host/driver/counters.h"
#include "sim/device/tiling.h"
#include "sim/device/unit_timing.h"

namespace systole {

/// What a product costs on the device, without simulating it: a recurrence over the start clocks of
/// its tiles. Equal, counter by counter, to what the Harness counts clock by clock.
///
/// Units    device clocks from the first beat in to the last row out, both included
/// Timing   O(tiles); `accumulate` adds the preloads of C
/// Source   schedule.h, the distances; harness.h, the engines that keep them
Counters count_cycles(const Tiling& tiling, const UnitTiming& timing, bool accumulate);

}  // namespace systole
