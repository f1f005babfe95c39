#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/verify/verification.h"

namespace systole::verify {

/// Programs whose counters were counted twice, and their clocks.
struct ClocksCompared {
  std::uint64_t programs = 0;
  std::uint64_t clocks = 0;
};

/// Runs each program of the case that has no fault once more, from a driver's doorbell to its
/// interrupt, on the accelerator's control and in program_clocks, whose counters must all be equal;
/// what differs, or nothing. The memory has the case's latency, bandwidth and bursts, but no stalls
/// and no errors; fences do not wait for the host.
///
/// Limits   N = 4, 8, 16, 32, 64, 128
std::optional<std::string> check_clocks(const Case& which, ClocksCompared& compared);

/// The same on another device.
std::optional<std::string> check_clocks(const Case& which, ClocksCompared& compared,
                                        const DeviceMaker& make_device);

}  // namespace systole::verify
