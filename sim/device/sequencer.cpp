#include "sim/device/sequencer.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/driver/device.h"

namespace systole {

Sequencer::Sequencer(const Tiling& tiling, const UnitTiming& timing, const PackedOperands& operands,
                     std::span<std::uint32_t> c, const Options& options)
    : tiling_(tiling),
      schedule_{timing},
      operands_(&operands),
      c_(c),
      options_(options),
      jobs_(tiling.job_count()),
      tiles_(tiling.depth_tiles()),
      plan_(static_cast<std::size_t>(jobs_)),
      preload_lanes_(static_cast<std::size_t>(timing.array_size)) {
  const Job first = tiling_.job(0);
  for (Cursor* cursor : {&rows_, &weights_, &preloads_, &reads_, &collected_}) {
    cursor->current = first;
  }
  for (std::int64_t job = 0; job < std::min<std::int64_t>(2, jobs_); ++job) plan_preload(job);
  find_sums_ready();
}

void Sequencer::issue(Beat& beat) {
  beat = {};
  // A plane may be loaded from the clock of its last row on, so rows go before weights.
  issue_row(beat);
  issue_weights(beat);
  if (options_.accumulate) issue_preload(beat);
  issue_read(beat);
  ++counters_.cycles;
  ++clock_;
}

void Sequencer::issue_row(Beat& beat) {
  if (rows_.job == jobs_) {
    ++counters_.drain_cycles;
    return;
  }
  if (rows_.beat == 0) {
    if (tiles_loaded_ == tiles_finished_) {
      ++counters_.weight_stall_cycles;
      return;
    }
    if (clock_ < sums_ready_) {
      ++counters_.hazard_stall_cycles;
      return;
    }
    start_tile();
  }
  beat.activation = operands_->row(rows_.tile, rows_.current.row + rows_.beat);
  beat.plane = tiles_finished_ % 2 != 0;
  beat.is_int8 = options_.is_int8;
  beat.row = address(rows_);
  beat.accumulate = options_.accumulate || rows_.tile > 0;
  ++counters_.busy_cycles;
  last_progress_ = clock_;
  if (++rows_.beat < rows_.current.rows) return;

  ++tiles_finished_;
  ++counters_.tiles;
  rows_.beat = 0;
  if (++rows_.tile == tiles_) next_job(rows_);
  if (rows_.job < jobs_) find_sums_ready();
}

void Sequencer::start_tile() {
  tile_start_ = clock_;
  if (rows_.tile + 1 < tiles_) return;
  plan_[static_cast<std::size_t>(rows_.job)].last_tile_start = clock_;
  plan_read();
  if (rows_.job + 2 < jobs_) plan_preload(rows_.job + 2);
}

void Sequencer::find_sums_ready() {
  const std::int64_t rows = rows_.current.rows;
  const Plan& plan = plan_[static_cast<std::size_t>(rows_.job)];
  const bool adds = options_.accumulate || rows_.tile > 0;
  sums_ready_ = rows_.tile > 0 ? schedule_.rows_after_same_rows(tile_start_) : 0;
  if (options_.accumulate) {
    sums_ready_ = std::max(sums_ready_, schedule_.rows_after_preload(plan.preload_start, rows));
  }
  if (rows_.job < 2) return;
  // The bank's last job must get out of the way.
  const Clock read_start = plan_[static_cast<std::size_t>(rows_.job - 2)].read_start;
  const std::int64_t read_rows = tiling_.job(rows_.job - 2).rows;
  sums_ready_ = std::max(sums_ready_, adds ? schedule_.add_after_read(read_start, read_rows)
                                           : schedule_.overwrite_after_read(read_start));
}

void Sequencer::issue_weights(Beat& beat) {
  if (weights_.job == jobs_) return;
  // Two planes: at most the tile in use and the next one are loaded.
  if (tiles_loaded_ > tiles_finished_ + 1) return;
  beat.weight = operands_->column(weights_.tile, weights_.current.col + weights_.beat);
  beat.weight_column = static_cast<std::uint8_t>(weights_.beat);
  beat.weight_plane = tiles_loaded_ % 2 != 0;
  last_progress_ = clock_;
  if (++weights_.beat < tiling_.array_size()) return;

  ++tiles_loaded_;
  weights_.beat = 0;
  if (++weights_.tile == tiles_) next_job(weights_);
}

void Sequencer::plan_preload(std::int64_t job) {
  Plan& plan = plan_[static_cast<std::size_t>(job)];
  if (job > 0) {
    const Plan& last = plan_[static_cast<std::size_t>(job - 1)];
    plan.preload_start = last.preload_start + tiling_.job(job - 1).rows;
  }
  if (job > 1) {
    const Plan& bank = plan_[static_cast<std::size_t>(job - 2)];
    plan.preload_start = std::max(
        plan.preload_start,
        schedule_.preload_after(bank.read_start, bank.last_tile_start, tiling_.job(job - 2).rows));
  }
  preloads_planned_ = job + 1;
}

void Sequencer::issue_preload(Beat& beat) {
  if (preloads_.job == preloads_planned_) return;
  if (preloads_.beat == 0) {
    if (clock_ < plan_[static_cast<std::size_t>(preloads_.job)].preload_start) return;
    std::ranges::fill(preload_lanes_, 0u);
  }
  std::copy_n(c_row(preloads_), preloads_.current.cols, preload_lanes_.begin());
  beat.preload = preload_lanes_.data();
  beat.preload_row = address(preloads_);
  last_progress_ = clock_;
  if (++preloads_.beat == preloads_.current.rows) next_job(preloads_);
}

void Sequencer::plan_read() {
  Plan& plan = plan_[static_cast<std::size_t>(rows_.job)];
  const bool accumulates = options_.accumulate || tiles_ > 1;
  plan.read_start =
      schedule_.read_after_rows(plan.last_tile_start, rows_.current.rows, accumulates);
  if (rows_.job > 0) {
    const Plan& last = plan_[static_cast<std::size_t>(rows_.job - 1)];
    plan.read_start = std::max(plan.read_start, last.read_start + tiling_.job(rows_.job - 1).rows);
  }
  reads_planned_ = rows_.job + 1;
}

void Sequencer::issue_read(Beat& beat) {
  if (reads_.job == reads_planned_) return;
  if (reads_.beat == 0 && clock_ < plan_[static_cast<std::size_t>(reads_.job)].read_start) return;
  beat.read_valid = true;
  beat.read_row = address(reads_);
  last_progress_ = clock_;
  if (++reads_.beat == reads_.current.rows) next_job(reads_);
}

void Sequencer::collect(const std::uint32_t* result) {
  if (collected_.job == reads_.job && collected_.beat == reads_.beat) {
    throw DeviceError(
        fmt::format("the matrix unit returned a row that was not read; {}", describe()));
  }
  std::copy_n(result, collected_.current.cols, c_row(collected_));
  last_progress_ = clock_;
  if (++collected_.beat == collected_.current.rows) next_job(collected_);
}

UnitCounters Sequencer::counters() const {
  UnitCounters counters = counters_;
  counters.products = 1;
  counters.macs = static_cast<std::uint64_t>(tiling_.rows()) *
                  static_cast<std::uint64_t>(tiling_.depth()) *
                  static_cast<std::uint64_t>(tiling_.cols());
  return counters;
}

std::string Sequencer::describe() const {
  const auto engine = [](const char* name, const Cursor& cursor) {
    return fmt::format("{} job {} tile {} beat {}", name, cursor.job, cursor.tile, cursor.beat);
  };
  return fmt::format("clock {} of a product of {} jobs of {} tiles: {}; {}; {}; {}; {}", clock_,
                     jobs_, tiles_, engine("rows", rows_), engine("weights", weights_),
                     engine("preloads", preloads_), engine("reads", reads_),
                     engine("results", collected_));
}

void Sequencer::next_job(Cursor& cursor) const {
  ++cursor.job;
  cursor.tile = 0;
  cursor.beat = 0;
  if (cursor.job < jobs_) cursor.current = tiling_.job(cursor.job);
}

std::uint16_t Sequencer::address(const Cursor& cursor) const {
  return static_cast<std::uint16_t>(cursor.current.bank * schedule_.timing.bank_rows + cursor.beat);
}

std::uint32_t* Sequencer::c_row(const Cursor& cursor) const {
  return &c_[static_cast<std::size_t>((cursor.current.row + cursor.beat) * tiling_.cols() +
                                      cursor.current.col)];
}

}  // namespace systole
