#pragma once

#include <cstdint>

#include "host/device/device_map.h"

namespace systole {

/// Reduces the addresses of a program's commands to what its clocks depend on. docs/model.md says
/// why that is all:
///
///     the ring                            nothing: each command is a burst of its own
///     load, a vector program, an input    the place in the bytes that bursts are cut from
///     store, an output                    the place in a beat; in 4 KiB if a row may cross them
///
/// Shapes   an array of N and beats of `bus_bytes`
/// Limits   takes a program's commands in order, since a store's rows are those of the shape before
class ClockPlaces {
 public:
  ClockPlaces(int array_size, int bus_bytes);

  device::CommandWord reduced(const device::CommandWord& command);

 private:
  std::uint64_t reduced_store(std::uint64_t address, std::uint64_t row_bytes, std::uint64_t rows,
                              std::uint64_t row_stride) const;

  std::uint64_t array_size_;
  std::uint64_t beat_bytes_;
  std::uint64_t burst_bytes_;  // reads are cut at its multiples
  device::StoreShape shape_;
};

}  // namespace systole
