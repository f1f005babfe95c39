#pragma once

#include <array>
#include <cstdint>

#include "host/device/device_map.h"

namespace systole {

/// What a device has done since it was opened. Clocks are the device's own: exact, and equal on
/// every cycle-exact backend; all zero on `cpu`, which has none.
///
/// Units    counts[Count]: as docs/device.md defines them, summed over all programs; macs: useful
///          multiply-adds, padding not counted
struct Counters {
  std::array<std::uint64_t, device::kCounters> counts{};
  std::uint64_t programs = 0;  ///< doorbells rung
  std::uint64_t products = 0;  ///< matrix products executed
  std::uint64_t macs = 0;

  std::uint64_t operator[](device::Count which) const {
    return counts[static_cast<std::size_t>(which)];
  }
  std::uint64_t cycles() const { return (*this)[device::Count::kCycles]; }

  Counters& operator+=(const Counters& other);
  friend Counters operator-(Counters a, const Counters& b);
  friend bool operator==(const Counters&, const Counters&) = default;
};

/// macs / (cycles * array_size^2), 0..1; 0 if cycles is 0.
double utilization(const Counters& counters, int array_size);

/// Clocks in which no row entered the array, by cause. Together with `rows` they add up to
/// `cycles`.
struct Stalls {
  std::uint64_t load = 0;     ///< operands had not arrived
  std::uint64_t store = 0;    ///< results had not left the accumulators
  std::uint64_t weights = 0;  ///< the next tile's weights were not in the array
  std::uint64_t sums = 0;     ///< the next tile adds to sums still in flight
  std::uint64_t vector = 0;   ///< the vector engine's results had not arrived
  std::uint64_t idle = 0;     ///< no product to do: before the first and during the last store
  friend bool operator==(const Stalls&, const Stalls&) = default;
};
Stalls stalls(const Counters& counters);

}  // namespace systole
