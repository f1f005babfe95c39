#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/device/action_counts.h"
#include "host/device/device_sizes.h"
#include "host/energy/energy_table.h"

namespace systole::energy {

/// A step as Accelergy takes it: its action counts with the device's parts as components, and, with
/// a table, the energy reference table (ERT) of the same actions, so that Accelergy's total is the
/// step's energy. A read or write of a buffer is one of a whole word.
///
/// Units    picojoules; the component `chip` has the static energy of a clock
/// Limits   clocks 1 or more
/// Source   github.com/Accelergy-Project/accelergy 0.4, raw_inputs_2_dicts.py
std::string accelergy_input(const ActionCounts& actions, std::uint64_t clocks, double clock_mhz,
                            const DeviceSizes& sizes, const std::optional<Table>& table);

}  // namespace systole::energy
