#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/driver/program_device.h"
#include "sim/memory/memory_behaviour.h"
#include "sim/timeline/timeline.h"

namespace systole::sim {

/// A program that a device was given, with what it read: enough to run it again.
struct KeptProgram {
  struct Block {
    std::uint64_t address = 0;
    std::vector<std::byte> bytes;
  };
  std::vector<device::CommandWord> commands;
  std::uint64_t ring = 0, base = 0, end = 0;
  std::vector<Block> memory;  ///< operands as they were before; empty where only clocks matter
};

/// Copies a program, and with `with_memory` the operands of its products.
KeptProgram keep(const PlacedProgram& program, const Memory& memory, bool with_memory);

/// Runs the programs again on the accelerator's control, one after the other, and records what its
/// engines do. Clocks depend on no data, so with the same memory they are those of the first time.
///
/// Limits   array sizes as control_sizes() says
/// Errors   std::invalid_argument for another size; DeviceError where the device hangs
Timeline record_timeline(std::span<const KeptProgram> programs, int array_size,
                         const MemoryBehaviour& behaviour = {});

}  // namespace systole::sim
