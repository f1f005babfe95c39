#pragma once

#include <span>

#include "host/device/device_map.h"

namespace systole::lowering {

/// Checks that the programs of cores in a line, core 0's first, meet in one order: that each stream
/// of a link has its counterpart, of as many words, and that no core waits in a circle, were there
/// no place for a word in any link.
///
/// Errors   graph::GraphError with the cores and their commands, where they wait for each other or
///          a stream has no counterpart
void check_meetings(std::span<const std::span<const device::CommandWord>> programs, int lanes);

}  // namespace systole::lowering
