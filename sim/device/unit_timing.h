#pragma once

namespace systole {

/// The distances, in clocks, that a matrix unit of one array size asks its driver to keep.
///
/// Units    clocks; bank_rows counts accumulator rows
/// Source   the constants of kernels::MatrixUnit, which explain each of them
struct UnitTiming {
  int array_size = 0;
  int bank_rows = 0;
  int array_cycles = 0;  ///< from a row's entry to its sums' entry into the accumulators
  int write_cycles = 0;  ///< from there to the clock that writes the accumulator row
  int loop_cycles = 0;   ///< from there to the first clock that can read the row again
  int read_cycles = 0;   ///< from a read's entry to its row's leaving
};

/// The timing of the N x N unit with the default accumulators.
///
/// Limits   N = 4, 8, 16, 32, 64, 128
/// Errors   std::invalid_argument for another N
UnitTiming unit_timing(int array_size);

}  // namespace systole
