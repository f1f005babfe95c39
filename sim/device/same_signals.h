#pragma once

#include <cstdint>
#include <stdexcept>

#include "sim/memory/axi_signals.h"

namespace systole::sim {

/// Two devices that should be equal showed different signals.
class LockstepError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The names of the two in an error.
struct ComparedNames {
  const char* first = "one";
  const char* second = "the other";
};

/// Compares the outputs of two simulations of one accelerator in a clock. Data is compared when its
/// valid is set, and bytes when their strobe is.
///
/// Errors   LockstepError with the clock, the signal and both values
void require_same(std::uint64_t clock, const FromDevice& first, const FromDevice& second,
                  int bus_bytes, const ComparedNames& names = {});

}  // namespace systole::sim
