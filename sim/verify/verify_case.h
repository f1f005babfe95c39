#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "host/device/device_memory.h"
#include "sim/device/device_harness.h"
#include "sim/memory/memory_behaviour.h"
#include "sim/verify/program.h"

namespace systole::verify {

/// One case of a verification: a memory, its behaviour, and programs that run in order on one
/// device. The seed, the array size and the bus determine all of it.
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

/// The kinds, by their names in Coverage, through which consecutive seeds rotate: all that a
/// program has before it runs, and waiting for sums in flight, which is otherwise met by one
/// program in a thousand at N = 16. The remaining kinds occur in about every third case.
///
/// Limits   not at N = 4, whose cases are drawn without regard to kind
std::vector<std::string> directed_kinds();

/// The case of this seed, on a bus of `bus_bytes` (0: N): a program and, if it ends in a fault,
/// another that must run after it.
Case make_case(std::uint64_t seed, int array_size, int bus_bytes = 0);

/// Allocates the case's blocks and fills them with numbers of every type and size.
DeviceMemory make_memory(const Case& which);

/// The address of command 0; in the closed block or in the trap if the ring itself is to fail.
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
