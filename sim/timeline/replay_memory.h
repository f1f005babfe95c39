#pragma once

#include <memory>

#include "host/driver/device_memory.h"
#include "sim/timeline/replay.h"

namespace systole::sim {

/// A memory of one block, at the addresses that the program was made for: its commands, the
/// operands that were kept, and zeros.
std::shared_ptr<DeviceMemory> replay_memory(const KeptProgram& program);

/// The program as a driver takes it; valid while `program` is.
PlacedProgram placed(const KeptProgram& program);

}  // namespace systole::sim
