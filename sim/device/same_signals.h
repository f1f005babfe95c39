#pragma once

#include <cstdint>
#include <stdexcept>

#include "sim/memory/axi_signals.h"

namespace systole::sim {

/// Two devices that should be the same did not show the same.
class LockstepError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the two are called where they differ.
struct ComparedNames {
  const char* first = "one";
  const char* second = "the other";
};

/// Compares what two simulations of one accelerator show in a clock. Data is compared where its
/// valid is set, and bytes where their strobe is.
///
/// Errors   LockstepError with the clock, the signal and both values
void require_same(std::uint64_t clock, const FromDevice& first, const FromDevice& second,
                  int bus_bytes, const ComparedNames& names = {});

}  // namespace systole::sim
