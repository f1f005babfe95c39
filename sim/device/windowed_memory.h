#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/device/device_map.h"

namespace systole {

/// The memory that a program reads and writes, seen from the device.
class ProgramMemory {
 public:
  virtual ~ProgramMemory() = default;
  /// The host's address of `size_bytes` bytes at `address`, valid until memory is freed; null if
  /// memory would answer with an error.
  virtual std::byte* locate(std::uint64_t address, std::int64_t size_bytes) = 0;
};

/// A part of memory that the host has opened: [base, end).
struct ProgramWindow {
  std::uint64_t base = 0, end = 0;
  bool readable = false, writable = false;
};

/// The first fault of a program; code kNone if it had none.
struct ProgramFault {
  device::FaultCode code = device::FaultCode::kNone;
  std::uint32_t command = 0;
  std::uint64_t address = 0;
  friend bool operator==(const ProgramFault&, const ProgramFault&) = default;
};

/// Memory as the engines' bursts reach it, through the host's windows. Addresses count modulo 2^40.
///
/// Errors   returned, without a command: a burst outside every window, with its address; a memory
///          error, with the first address for a read, the burst's for a write. Earlier bursts have
///          taken effect
class WindowedMemory {
 public:
  WindowedMemory(int bus_bytes, ProgramMemory& memory)
      : bus_bytes_(static_cast<std::uint64_t>(bus_bytes)), memory_(&memory) {}

  void set_windows(std::span<const ProgramWindow> windows) {
    windows_.assign(windows.begin(), windows.end());
  }
  ProgramFault read(std::uint64_t address, std::span<std::byte> destination) const;
  ProgramFault write(std::uint64_t address, std::span<const std::byte> source) const;

 private:
  bool is_open(bool ProgramWindow::* access, std::uint64_t address, std::uint64_t bytes) const;

  std::uint64_t bus_bytes_;
  ProgramMemory* memory_;
  std::vector<ProgramWindow> windows_;
};

}  // namespace systole
