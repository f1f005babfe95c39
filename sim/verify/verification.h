#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "sim/verify/coverage.h"
#include "sim/verify/verify_case.h"

namespace systole::verify {

/// Makes the device that a case runs on, with this memory.
using DeviceMaker =
    std::function<std::unique_ptr<sim::DevicePort>(const Case& which, DeviceMemory& memory)>;

/// A difference in words, and the clock in which it was found, counted from the first after reset.
struct Difference {
  std::string words;
  std::uint64_t clock = 0;
};

/// Runs a case on the device and, command by command, in the interpreter, and returns the first
/// difference, if any. It compares every byte of memory, the fault with its command and address,
/// the marker, and the counters of work. If a program is meant to fail, it checks that no fence
/// after the failing command has been passed, that nothing after a refused one was handed on, that
/// nothing outside the writable windows has changed, and that the next program runs normally.
std::optional<Difference> check(const Case& which, const DeviceMaker& make_device,
                                Coverage* coverage = nullptr);

/// A smaller case that still fails, found by shortening programs and removing the memory's stalls.
Case minimise(Case which, const DeviceMaker& make_device);

/// The case as text: memory, ring and the disassembled programs.
std::string describe(const Case& which);

}  // namespace systole::verify
