#pragma once

#include <memory>

#include "host/device/device_memory.h"
#include "sim/timeline/replay.h"

namespace systole::sim {

/// A memory of one block at the program's own addresses: its commands, the operands that were kept,
/// and zeros.
std::shared_ptr<DeviceMemory> replay_memory(const KeptProgram& program);

/// The program in the form that a driver takes; valid as long as `program`.
PlacedProgram placed(const KeptProgram& program);

}  // namespace systole::sim
