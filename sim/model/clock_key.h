#pragma once

#include <string>
#include <vector>

#include "host/device/program_device.h"
#include "sim/device/windowed_memory.h"
#include "sim/memory/memory_behaviour.h"

namespace systole {

/// Everything on which a program's clocks depend on a device: its commands but for the part of
/// addresses on which no clock depends (ClockPlaces), wherever the commands lie, then the vector
/// instructions that it loads from memory. Every run starts on a freshly reset device, and no clock
/// depends on other data.
using ClockKey = std::vector<device::CommandWord>;

ClockKey clock_key(const PlacedProgram& program, ProgramMemory& memory, const DeviceSizes& sizes);

/// Everything about a device and its error-free memory on which clocks depend, as text.
std::string clocked_device(int array_size, const sim::MemoryBehaviour& memory);

/// What ProgramClocks keeps a key's counters under.
std::string clock_identity(const std::string& clocked_device, const ClockKey& key);

}  // namespace systole
