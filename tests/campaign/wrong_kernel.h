#pragma once

#include <cstdint>
#include <string>

#include "tests/campaign/batch.h"

namespace systole::tests {

/// A random kernel with one fault that is no hardware, and the same without it. Half of them are
/// what lock-step cannot find, since C++ and RTL are wrong alike or their difference is let pass:
/// a constant index or a walk past the end of its array, a network that waits for itself, a
/// submodule that nothing resets, a channel or wire with two users, an initial value that nothing
/// resets, a parameter whose port or register has the name of another. The others are the refusals
/// of docs/kernels.md.
struct WrongKernel {
  std::string right;
  std::string wrong;
  const char* headers = kClockedHeaders;
  std::string options = "";  ///< words for hlsc
};
WrongKernel wrong_kernel(std::uint64_t seed, const std::string& name);

/// Compiles both of each: hlsc must take the right one, and refuse the wrong one with its line. No
/// message names another file than the kernel's.
std::vector<CampaignFailure> run_wrong(const std::vector<CampaignKernel>& kernels,
                                       const BatchTools& tools);

}  // namespace systole::tests
