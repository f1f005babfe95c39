#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "host/driver/device_map.h"
#include "sim/memory/memory_behaviour.h"

namespace systole {

/// The counters of a program as the device's registers show them when it has run, without the
/// device: its control in the host's integers, some ten times as fast as the control kernels.
///
/// This is a second statement of what the kernels of hls/kernels do, for speed alone
/// (docs/decisions/0013-a-second-statement-of-time.md). Whatever it cannot do, it says; and
/// `systole verify` and its tests compare it with the kernels, counter by counter.
///
/// Shapes   `commands` lie in a ring at `ring`, rung for in pieces of 2^15 as RegisterDriver does
/// Limits   N a power of two, 4 .. 128. Programs without faults: every command is legal, and lies,
///          reads and writes inside windows and memory. Behaviours without stalls, errors or mixed
///          reads
/// Numbers  nothing for a behaviour outside the limits, a fence that waits for the host, tokens
///          that run over, and engines that wait for each other for ever
using ProgramCounts = std::array<std::uint64_t, device::kCounters>;
std::optional<ProgramCounts> program_clocks(int array_size, const sim::MemoryBehaviour& behaviour,
                                            std::span<const device::CommandWord> commands);

/// Whether program_clocks knows this behaviour.
bool has_program_clocks(int array_size, const sim::MemoryBehaviour& behaviour);

}  // namespace systole
