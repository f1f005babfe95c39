#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/device/backend.h"
#include "host/device/program_device.h"

namespace systole {

/// A program and the memory that it may touch, as both were before it ran.
struct ProgramSample {
  std::vector<device::CommandWord> commands;
  std::uint64_t ring = 0, base = 0;
  std::vector<std::byte> memory;  ///< from base on
  std::uint32_t link_patience = 0;
};

/// Limits   everything the program touches is one block of `memory`
ProgramSample take_sample(const Memory& memory, const PlacedProgram& program);

/// A sample at its own addresses in another backend's memory. It refers to the sample.
///
/// Limits   nothing else is allocated in the backend's memory, which begins where a simulated
///          device's does
/// Errors   DeviceError where it begins elsewhere
class PlacedSample {
 public:
  PlacedSample(Backend& backend, const ProgramSample& sample);

  PlacedProgram program() const;
  std::vector<std::byte> memory() const;  ///< as the sample's, now

 private:
  Memory& memory_;
  const ProgramSample& sample_;
  MemoryBlock block_;
};

}  // namespace systole
