#pragma once

#include <cstdint>

namespace systole {

/// What the bare matrix unit has done for a product, clock by clock.
struct UnitCounters {
  std::uint64_t cycles = 0;               ///< clocks from the first beat in to the last row out
  std::uint64_t busy_cycles = 0;          ///< clocks in which a row entered the array
  std::uint64_t weight_stall_cycles = 0;  ///< waiting for a weight plane to be loaded
  std::uint64_t hazard_stall_cycles = 0;  ///< waiting for an accumulator row still in flight
  std::uint64_t drain_cycles = 0;         ///< filling and draining the array, reading results out
  std::uint64_t tiles = 0;
  std::uint64_t products = 0;  ///< matrix products executed
  std::uint64_t macs = 0;

  friend bool operator==(const UnitCounters&, const UnitCounters&) = default;
};

}  // namespace systole
