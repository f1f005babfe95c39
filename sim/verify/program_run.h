#pragma once

#include <array>
#include <cstdint>

#include "sim/device/device_port.h"
#include "sim/verify/verify_case.h"

namespace systole::verify {

/// The registers' contents when a program has ended.
struct Outcome {
  device::FaultCode fault = device::FaultCode::kNone;
  std::uint32_t command = 0;
  std::uint64_t address = 0;
  std::uint32_t head = 0;
  std::uint32_t marker = 0;
  std::array<std::uint64_t, device::kCounters> counters{};
  int doorbells = 0;
  int resumes = 0;
  bool polled = false;  ///< the host used no interrupts
};

/// Plays the host: opens the windows, writes commands into the ring as it has room, rings the
/// doorbell, resumes fences and waits for the end. After a fault or a reset the device is ready for
/// the next program.
///
/// Errors   DeviceError if the device hangs, answers a register access wrongly, or differs after a
///          reset from its state after power-on
Outcome run_program(const Case& which, const Program& program, sim::DevicePort& port,
                    DeviceMemory& memory);

}  // namespace systole::verify
