#include "sim/device/cycle_count.h"

#include <algorithm>

#include "sim/device/schedule.h"

namespace systole {
namespace {

/// What later jobs need to know of one that has been scheduled.
struct PastJob {
  std::int64_t rows = 0;
  Clock preload_start = 0;
  Clock last_tile_start = 0;
  Clock read_start = 0;
};

}  // namespace

Counters count_cycles(const Tiling& tiling, const UnitTiming& timing, bool accumulate) {
  const Schedule schedule{timing};
  const std::int64_t jobs = tiling.job_count();
  const std::int64_t tiles = tiling.depth_tiles();
  Counters counters;
  PastJob past[2];          // by bank
  Clock row_port_free = 0;  // the clock after the last row that entered
  Clock weight_port_free = 0;
  Clock preload_port_free = 0;
  Clock read_port_free = 0;
  Clock plane_free[2] = {0, 0};
  std::uint64_t tile_number = 0;

  for (std::int64_t j = 0; j < jobs; ++j) {
    const std::int64_t rows = tiling.job(j).rows;
    PastJob& bank = past[j % 2];
    const PastJob before = bank;
    const bool reused = j >= 2;
    bank.rows = rows;

    Clock first_add = reused ? schedule.add_after_read(before.read_start, before.rows) : 0;
    if (accumulate) {
      bank.preload_start = preload_port_free;
      if (reused) {
        bank.preload_start = std::max(
            bank.preload_start,
            schedule.preload_after(before.read_start, before.last_tile_start, before.rows));
      }
      preload_port_free = bank.preload_start + rows;
      first_add = std::max(first_add, schedule.rows_after_preload(bank.preload_start, rows));
    }

    Clock start = 0;
    for (std::int64_t t = 0; t < tiles; ++t, ++tile_number) {
      Clock& plane = plane_free[tile_number % 2];
      const Clock weights_start = std::max(weight_port_free, plane);
      weight_port_free = weights_start + timing.array_size;
      const Clock weights_ready = schedule.rows_after_weights(weights_start);

      Clock sums_ready = 0;
      if (t > 0) sums_ready = schedule.rows_after_same_rows(start);
      if (t > 0 || accumulate) {
        sums_ready = std::max(sums_ready, first_add);
      } else if (reused) {
        sums_ready = schedule.overwrite_after_read(before.read_start);
      }

      start = std::max({row_port_free, weights_ready, sums_ready});
      const Clock waited_for_weights = std::max<Clock>(0, weights_ready - row_port_free);
      counters.weight_stall_cycles += static_cast<std::uint64_t>(waited_for_weights);
      counters.hazard_stall_cycles +=
          static_cast<std::uint64_t>(start - row_port_free - waited_for_weights);
      counters.busy_cycles += static_cast<std::uint64_t>(rows);
      row_port_free = start + rows;
      plane = Schedule::weights_after_rows(start, rows);
    }

    bank.last_tile_start = start;
    bank.read_start =
        std::max(read_port_free, schedule.read_after_rows(start, rows, accumulate || tiles > 1));
    read_port_free = bank.read_start + rows;
  }

  counters.cycles = static_cast<std::uint64_t>(read_port_free + timing.read_cycles);
  counters.drain_cycles = counters.cycles - static_cast<std::uint64_t>(row_port_free);
  counters.tiles = static_cast<std::uint64_t>(tiling.tile_count());
  counters.products = 1;
  counters.macs = static_cast<std::uint64_t>(tiling.rows()) *
                  static_cast<std::uint64_t>(tiling.depth()) *
                  static_cast<std::uint64_t>(tiling.cols());
  return counters;
}

}  // namespace systole
