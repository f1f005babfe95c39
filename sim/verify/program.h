#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "host/device/device_map.h"

namespace systole::verify {

/// A block of device memory: [base, end()).
struct Block {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  std::uint64_t end() const { return base + size; }
};

/// The memory of a program.
struct Layout {
  Block ring;     ///< readable
  Block inputs;   ///< readable
  Block outputs;  ///< readable and writable
  Block trap;     ///< readable and writable, but memory answers every access with an error
  Block closed;   ///< memory in no window
};

/// How a program is meant to end.
enum class Ending {
  kDone,
  kIllegalCommand,
  kReadWindow,
  kWriteWindow,
  kReadError,
  kWriteError,
  kRingWindow,     ///< the ring lies outside every window
  kRingError,      ///< memory answers the fetch with an error
  kRingOverrun,    ///< the doorbell names more commands than the ring holds
  kRingBackwards,  ///< the doorbell moves back
  kTokenUnderflow,
  kTokenOverflow,
  kReset,         ///< the host resets the device while it runs
  kMissingShape,  ///< a command comes before the shape that it needs
  kLinkStall,     ///< a stream waits for a neighbour that offers or takes nothing
};
inline constexpr int kEndings = 15;
inline constexpr std::string_view kEndingNames[kEndings] = {
    "done",        "illegal command", "read window",   "write window",  "read error",
    "write error", "ring window",     "ring error",    "ring overrun",  "ring backwards",
    "underflow",   "overflow",        "reset by host", "missing shape", "link stall"};

constexpr device::FaultCode fault_of(Ending ending) {
  using device::FaultCode;
  constexpr FaultCode kCodes[kEndings] = {
      FaultCode::kNone,        FaultCode::kIllegalCommand, FaultCode::kReadWindow,
      FaultCode::kWriteWindow, FaultCode::kReadError,      FaultCode::kWriteError,
      FaultCode::kReadWindow,  FaultCode::kReadError,      FaultCode::kRingOverrun,
      FaultCode::kRingOverrun, FaultCode::kTokenUnderflow, FaultCode::kTokenOverflow,
      FaultCode::kNone,        FaultCode::kMissingShape,   FaultCode::kLinkStall};
  return kCodes[static_cast<int>(ending)];
}

/// What the host puts into memory for a program before the first one runs.
struct Placed {
  std::uint64_t address = 0;
  std::vector<std::byte> bytes;
};

/// The commands of a program that bring its fault: [begin, end), none where the host causes it.
struct FaultPlace {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Program {
  std::vector<device::CommandWord> commands;
  Ending ending = Ending::kDone;
  std::vector<Placed> placed = {};  ///< micro-programs and their constants
  FaultPlace fault = {};
  std::uint32_t link_patience = 0;  ///< 0: as it is after power-on
};

}  // namespace systole::verify
