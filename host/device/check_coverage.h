#pragma once

#include <cstdint>
#include <string>

namespace systole {

/// How much of a device's work a second device has recomputed and found equal.
///
/// Units    programs: one a launch; macs: multiply-adds; cycles: the reference's clocks for what
///          was checked
struct CheckCoverage {
  std::string reference;  ///< the second device
  double per_mille = 0;   ///< the share of programs requested
  std::uint64_t seed = 0;
  std::uint64_t programs = 0;
  std::uint64_t checked_programs = 0;
  std::uint64_t macs = 0;
  std::uint64_t checked_macs = 0;
  std::uint64_t cycles = 0;
};

}  // namespace systole
