#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "sim/board/board_signals.h"

namespace systole::tests {

/// What came of faults on the line: bytes lost, flipped, doubled, late and foreign, and lines that
/// were unplugged in the middle of a product.
struct FaultTally {
  std::uint64_t faults = 0, unplugged = 0;
  std::uint64_t products = 0;  ///< right to the bit
  std::uint64_t wrong = 0;     ///< results that differ: none may
  std::uint64_t reported = 0;  ///< products that ended in a DeviceError
  std::uint64_t clocks = 0;    ///< of the boards
};

/// Random products on simulated boards whose lines are faulty, until `faults` have happened.
///
/// Errors   what the simulation throws, such as SdramError
FaultTally run_fault_campaign(std::uint64_t seed, std::uint64_t faults,
                              const std::function<std::unique_ptr<sim::ClockedBoard>()>& make);

}  // namespace systole::tests
