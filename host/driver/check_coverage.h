#pragma once

#include <cstdint>
#include <string>

namespace systole {

/// How much of a device's work a second device has recomputed and found equal.
///
/// Units    tiles: N x N elements of a result over the whole depth; macs: multiply-adds; cycles:
///          the reference's clocks for the tiles checked
struct CheckCoverage {
  std::string reference;  ///< the second device
  double per_mille = 0;   ///< the share of tiles requested
  std::uint64_t seed = 0;
  std::uint64_t tiles = 0;
  std::uint64_t checked = 0;
  std::uint64_t unreachable = 0;  ///< chosen, but overwritten before they could be rerun
  std::uint64_t macs = 0;
  std::uint64_t checked_macs = 0;
  std::uint64_t cycles = 0;
};

}  // namespace systole
