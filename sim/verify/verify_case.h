#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "host/driver/device_memory.h"
#include "sim/device/device_harness.h"
#include "sim/memory/memory_behaviour.h"
#include "sim/verify/program.h"

namespace systole::verify {

/// One case of a verification: a memory, how it answers, and programs that run one after the other
/// on one device. All of it follows from the seed and the array size.
struct Case {
  std::uint64_t seed = 0;
  int array_size = 0;
  std::uint64_t first_address = 0;  ///< of device memory
  Layout layout{};
  sim::MemoryBehaviour behaviour{};
  sim::HarnessOptions harness{};
  int ring_log2 = 0;
  std::uint64_t ring_offset = 0;  ///< of command 0 in the block that holds the ring
  std::vector<Program> programs{};
};

/// Kinds, in the names of Coverage, of which each has a case in as many seeds that follow each
/// other as there are kinds: all that a program has before it runs, and waiting for sums in flight,
/// which comes of itself in one of a thousand at N = 16. The others come in every third case or so.
///
/// Limits   not at N = 4, whose cases are drawn without a thought for their kind
std::vector<std::string> directed_kinds();

/// The case of this seed: a program, and where it ends in a fault, one that must run after it.
Case make_case(std::uint64_t seed, int array_size);

/// Allocates the case's blocks and fills them: numbers of every type and size.
DeviceMemory make_memory(const Case& which);

/// The address of command 0; where the ring itself is to fail, in the closed block or in the trap.
std::uint64_t ring_base(const Case& which, const Program& program);

/// The windows that are open.
struct WindowSetting {
  Block block;
  bool readable, writable;
};
std::array<WindowSetting, device::kWindows> windows(const Layout& layout);

/// "latency 17, 5 bytes a cycle, ..."
std::string describe(const sim::MemoryBehaviour& behaviour);

}  // namespace systole::verify
