#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/device/program_device.h"
#include "sim/memory/memory_behaviour.h"
#include "sim/timeline/timeline.h"

namespace systole::sim {

/// A program given to a device and the memory it read: enough to rerun it.
struct KeptProgram {
  struct Block {
    std::uint64_t address = 0;
    std::vector<std::byte> bytes;
  };
  std::vector<device::CommandWord> commands;
  std::uint64_t ring = 0, base = 0, end = 0;
  std::vector<Block> memory;  ///< operands before the run; if only clocks matter, micro-programs
};

/// Copies a program with what its clocks depend on: the micro-programs of vector commands. If
/// `with_memory`, also the operands of its products, or all memory of a step.
KeptProgram keep(const PlacedProgram& program, const Memory& memory, bool with_memory);

/// Reruns the programs in order on the accelerator's control and records what its engines do.
/// Clocks do not depend on data, so with the same memory they equal those of the first run.
///
/// Limits   the array sizes of control_sizes()
/// Errors   std::invalid_argument for another size; DeviceError if the device hangs
Timeline record_timeline(std::span<const KeptProgram> programs, int array_size,
                         const MemoryBehaviour& behaviour = {});

}  // namespace systole::sim
