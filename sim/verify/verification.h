#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "sim/verify/coverage.h"
#include "sim/verify/verify_case.h"

namespace systole::verify {

/// Makes the device that a case runs on, over this memory.
using DeviceMaker =
    std::function<std::unique_ptr<sim::DevicePort>(const Case& which, DeviceMemory& memory)>;

/// What was found, in words, and the clock in which it was, counted from the first after reset.
struct Difference {
  std::string words;
  std::uint64_t clock = 0;
};

/// Runs a case on the device and, command by command, in the functional interpreter; what differs,
/// or nothing. Compared are every byte of memory, the fault with its command and address, marker,
/// and the counters of work; where a program is meant to fail, that nothing outside the writable
/// windows has changed, and that the next program runs as if nothing had happened.
std::optional<Difference> check(const Case& which, const DeviceMaker& make_device,
                                Coverage* coverage = nullptr);

/// The shortest case that still fails, found by cutting programs and calming the memory.
Case minimise(Case which, const DeviceMaker& make_device);

/// The case as text: memory, ring, and every program, disassembled.
std::string describe(const Case& which);

}  // namespace systole::verify
