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
};

/// Limits   everything the program touches is one block of `memory`
ProgramSample take_sample(const Memory& memory, const PlacedProgram& program);

/// Runs a sample at its own addresses on another backend, and returns its memory afterwards.
///
/// Limits   nothing else is allocated in the backend's memory, which begins where a simulated
///          device's does
/// Errors   DeviceError for a fault
std::vector<std::byte> run_sample(Backend& backend, const ProgramSample& sample);

}  // namespace systole
