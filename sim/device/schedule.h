#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/device/unit_timing.h"

namespace systole {

/// A clock of the device; 0 is the first of a product.
using Clock = std::int64_t;

/// When the four engines (weights, rows, preloads, read-out) may start: the one statement of the
/// distances that MatrixUnit's headers ask for. A started engine issues one beat a clock to the end
/// of its tile or job, so start clocks say all.
///
/// Units    clocks; "start" is the clock of an engine's first beat
struct Schedule {
  UnitTiming timing;

  /// Rows use weights that entered at least one clock before them.
  Clock rows_after_weights(Clock weights_start) const { return weights_start + timing.array_size; }

  /// A plane may be loaded again from the clock of the last row that uses it.
  static Clock weights_after_rows(Clock rows_start, std::int64_t rows) {
    return rows_start + rows - 1;
  }

  /// The next tile of the same job adds to the rows of this one.
  Clock rows_after_same_rows(Clock rows_start) const { return rows_start + timing.loop_cycles; }

  /// A job's sums can be read once the first is final, and once no row of the job needs the bank's
  /// read port to be added to; every later row is final by the time its read enters.
  Clock read_after_rows(Clock last_tile_start, std::int64_t rows, bool accumulates) const {
    const std::int64_t port = accumulates ? rows : 0;
    return last_tile_start + timing.array_cycles + std::max<std::int64_t>(port, timing.loop_cycles);
  }

  /// A bank's next job overwrites row r from the clock on that reads row r out.
  Clock overwrite_after_read(Clock read_start) const {
    return read_start - timing.array_cycles - timing.write_cycles;
  }

  /// Adding needs the bank's read port, so the whole read-out goes first.
  Clock add_after_read(Clock read_start, std::int64_t rows) const {
    return read_start + rows - timing.array_cycles;
  }

  /// Preloads follow the read-out row by row, once the last sums have left the write port.
  Clock preload_after(Clock read_start, Clock last_tile_start, std::int64_t rows) const {
    return std::max(read_start,
                    last_tile_start + rows - 1 + timing.array_cycles + timing.loop_cycles);
  }

  /// Row r is preloaded before it is added to, and the last row before the first sum is written.
  Clock rows_after_preload(Clock preload_start, std::int64_t rows) const {
    return preload_start - timing.array_cycles +
           std::max<std::int64_t>(1, rows - timing.write_cycles);
  }
};

}  // namespace systole
