#pragma once

#include <cstdint>

namespace systole {

/// What a device has done since it was opened. Cycles are device clocks: exact, and equal on every
/// cycle-exact backend; all zero on `cpu`, which has none.
///
/// Units    clocks of the device, except macs (useful multiply-adds, padding not counted) and
/// counts
struct Counters {
  std::uint64_t cycles = 0;               ///< clocks from the first beat in to the last row out
  std::uint64_t busy_cycles = 0;          ///< clocks in which a row entered the array
  std::uint64_t weight_stall_cycles = 0;  ///< waiting for a weight plane to be loaded
  std::uint64_t hazard_stall_cycles = 0;  ///< waiting for an accumulator row still in flight
  std::uint64_t drain_cycles = 0;         ///< filling and draining the array, reading results out
  std::uint64_t tiles = 0;
  std::uint64_t products = 0;  ///< matrix products executed
  std::uint64_t macs = 0;

  Counters& operator+=(const Counters& other);
  friend Counters operator-(Counters a, const Counters& b);
  friend bool operator==(const Counters&, const Counters&) = default;
};

/// macs / (cycles * array_size^2), 0..1; 0 where cycles is 0.
double utilization(const Counters& counters, int array_size);

}  // namespace systole
