#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/device/beat.h"
#include "sim/device/packed_operands.h"
#include "sim/device/schedule.h"
#include "sim/device/tiling.h"
#include "sim/device/unit_counters.h"

namespace systole {

/// Feeds one product to a matrix unit, clock by clock: four engines (weights, rows, preloads,
/// read-out), each issuing a beat whenever its own scoreboard allows, and rows of C coming back.
///
/// Shapes   c is C[rows, cols], row-major: read when `accumulate`, written row by row
/// Timing   issue() is one clock; collect() belongs to the clock issued last
/// Numbers  counters() counts what was issued and waited for
/// Errors   DeviceError when the unit returns a row that nobody read
class Sequencer {
 public:
  struct Options {
    bool is_int8 = false;
    bool accumulate = false;
  };
  Sequencer(const Tiling& tiling, const UnitTiming& timing, const PackedOperands& operands,
            std::span<std::uint32_t> c, const Options& options);

  bool done() const { return collected_.job == jobs_; }
  void issue(Beat& beat);
  void collect(const std::uint32_t* result);

  UnitCounters counters() const;
  /// Clocks since the last beat entered or row came back.
  Clock idle_clocks() const { return clock_ - last_progress_; }
  /// Where each engine stands, in words, for a report of a hang.
  std::string describe() const;

 private:
  /// How far an engine is: `beat` of the current job's or tile's beats have been issued.
  struct Cursor {
    std::int64_t job = 0;
    std::int64_t tile = 0;
    std::int64_t beat = 0;
    Job current;
  };
  /// Start clocks of a job's engines, planned as soon as they are determined.
  struct Plan {
    Clock preload_start = 0;
    Clock last_tile_start = 0;
    Clock read_start = 0;
  };

  void issue_row(Beat& beat);
  void issue_weights(Beat& beat);
  void issue_preload(Beat& beat);
  void issue_read(Beat& beat);
  void find_sums_ready();
  void start_tile();
  void plan_read();
  void plan_preload(std::int64_t job);
  void next_job(Cursor& cursor) const;
  std::uint16_t address(const Cursor& cursor) const;
  std::uint32_t* c_row(const Cursor& cursor) const;

  Tiling tiling_;
  Schedule schedule_;
  const PackedOperands* operands_;
  std::span<std::uint32_t> c_;
  Options options_;
  std::int64_t jobs_, tiles_;

  Clock clock_ = 0;  // the clock that issue() describes next
  Clock last_progress_ = 0;
  UnitCounters counters_;
  Cursor rows_, weights_, preloads_, reads_, collected_;
  std::int64_t tiles_loaded_ = 0;    // tiles whose weights have all entered
  std::int64_t tiles_finished_ = 0;  // tiles whose rows have all entered
  Clock tile_start_ = 0;             // of the tile whose rows entered last
  Clock sums_ready_ = 0;             // when the next tile's sums may enter, as a row's clock
  std::vector<Plan> plan_;
  std::int64_t reads_planned_ = 0;  // jobs whose read_start is determined
  std::int64_t preloads_planned_ = 0;
  std::vector<std::uint32_t> preload_lanes_;
};

}  // namespace systole
