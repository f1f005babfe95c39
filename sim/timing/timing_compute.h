#pragma once

#include <algorithm>
#include <cstdint>

#include "hls/kernels/compute_engine.h"
#include "sim/memory/ring.h"
#include "sim/timing/timing_bus.h"
#include "sim/timing/timing_command.h"

namespace systole::timing {

/// Distances of MatrixUnit (hls/kernels/matrix_unit.h) by array size, in clocks.
struct UnitClocks {
  int array = 0;  ///< from a row to its sums
  int loop = 0;   ///< until a row may be added to again
};
UnitClocks unit_clocks(int array_size);

/// The time of ComputeEngine (hls/kernels/compute_engine.h): ComputeDispatch, RowFeeder with its
/// RowWalker, and WeightFeeder, in the host's integers. Between the first and the last row of a
/// pass nothing is decided, and the feeders are not looked at.
class TimingCompute {
 public:
  TimingCompute(int array_size, const UnitClocks& unit)
      : n_(array_size), loop_(unit.loop), token_clocks_(unit.array + unit.loop) {}

  struct Inputs {
    const TimedCommand* command;  ///< the queue's front, or null
    int tokens;
  };

  bool command_ready() const { return head_ == nullptr; }
  int taken() const { return taken_; }
  int given(Clock now) const {
    return (load_given_ ? kLoadToken : 0) |
           (!sums_given_.empty() && sums_given_.front() == now ? kStoreToken : 0);
  }
  bool idle(Clock now) const {
    return head_ == nullptr && taken_ == 0 && jobs_.empty() && weight_jobs_.empty() &&
           !walker_valid_ && !held_valid_ && step_ == 0 && weight_idle(now) &&
           now > last_row_ + token_clocks_ + 4;
  }

  /// Clocks from this one on in which rows enter and nothing else happens, with these tokens.
  Clock quiet(Clock now, bool queued, int tokens) const {
    if (now >= rows_until_ || taken_ != 0 || load_given_) return 0;
    if (!walker_valid_ && !jobs_.empty()) return 0;
    if (head_ == nullptr ? queued : !head_stands(tokens)) return 0;
    Clock next = rows_until_;
    if (!sums_given_.empty()) next = std::min(next, sums_given_.front());
    if (!weights_valid_ && !weight_jobs_.empty()) return 0;
    if (phase_start_ != kNever) {
      const Clock ready = phase_start_ + n_ - 2;
      next = std::min(next, now > ready ? ready + 1 : ready);
    } else if (weights_held_ ? planes_used_ != 2 : weights_valid_) {
      return 0;
    }
    return next - now;
  }

  std::uint64_t rows = 0, tiles = 0;
  std::uint64_t wait_for_load = 0, wait_for_store = 0, wait_for_weights = 0, wait_for_sums = 0;
  std::uint64_t wait_for_command = 0;  ///< counted where `busy` is set

  /// `busy`: the device is, in the next clock.
  void clock(Clock now, const Inputs& in, bool busy) {
    if (!sums_given_.empty() && sums_given_.front() == now) sums_given_.pop();
    load_given_ = false;

    // The dispatch.
    const bool has_head = head_ != nullptr;
    int missing = 0;
    bool hand = false, permit = false, leaves = has_head;
    if (has_head && head_->opcode == device::Opcode::kMatmul) {
      missing = head_->wait & ~in.tokens;
      const bool waits_for_load = (head_->wait & kLoadToken) != 0;
      const bool operands = waits_for_load ? (missing & kLoadToken) == 0 : missing == 0;
      hand = !handed_ && operands && jobs_.size() != kJobs && weight_jobs_.size() != kJobs;
      permit = (handed_ || hand) && missing == 0;
      leaves = permit;
    }

    // The feeders, which see each other as before the edge.
    const bool tile_ready = now == weight_ready_at_;
    bool tile_done = false;
    const bool was_permitted = permits_ != 0 || running_;
    if (now < rows_until_) {
      ++rows;
      if (!walker_valid_) take_job();
    } else {
      const bool goes = clock_rows(now, tile_done);
      if (!goes && !was_permitted) {
        if ((missing & kLoadToken) != 0) {
          ++wait_for_load;
        } else if (missing != 0) {
          ++wait_for_store;
        } else if (busy) {
          ++wait_for_command;
        }
      }
    }
    clock_weights(now, tile_done);
    tiles_ready_ += tile_ready;
    permits_ += permit;
    if (hand) hand_out();

    // The head moves on.
    taken_ = permit ? head_->wait : 0;
    if (hand) handed_ = true;
    if (permit) handed_ = false;
    if (has_head) {
      if (head_->opcode == device::Opcode::kMatmulShape) {
        shape_ = device::decode_matmul_shape(head_->word);
      }
      if (leaves) head_ = nullptr;
    } else {
      head_ = in.command;
    }
  }

 private:
  struct Job {
    int last_row, tiles, sum_row;
    bool turned, accumulate, ones_row, gives_load, gives_store;
  };
  struct Segment {
    int last, sum_row;
    bool adds, starts_tile, ends_tile, starts_job, ends_job, gives_load, gives_store;
  };
  static constexpr std::size_t kJobs = 4;
  static constexpr int kSumRows = 2 * kernels::kDefaultBankRows;
  static constexpr Clock kNever = -1;
  static constexpr Clock kLongAgo = -1'000'000;

  int n_, loop_, token_clocks_;

  const TimedCommand* head_ = nullptr;
  bool handed_ = false;
  device::MatmulShape shape_;
  int taken_ = 0;

  sim::Ring<Job, kJobs> jobs_;
  sim::Ring<int, kJobs> weight_jobs_;  // tiles

  // The row feeder and its walker.
  bool walker_valid_ = false;
  Job job_{};
  int tiles_left_ = 0, rows_left_ = 0, sum_row_ = 0;
  bool first_tile_ = false, first_block_ = false;
  Segment held_{};
  bool held_valid_ = false;
  int step_ = 0;
  Clock rows_until_ = kLongAgo;  // before it a pass goes on that nobody needs to look at
  bool fetching_ = false, sending_ = false;
  int tiles_ready_ = 0, permits_ = 0;
  bool running_ = false;
  // Rows that entered one after another, the last stretches: what later rows must not add to.
  struct Entered {
    Clock first = kLongAgo, last = kLongAgo;
    int row = 0;  // of the first
  };
  Entered entered_[8];
  int newest_ = 0;
  Clock last_row_ = kLongAgo;

  bool load_given_ = false;
  sim::Ring<Clock, 1024> sums_given_;

  // The weight feeder.
  bool weights_valid_ = false;
  int weight_tiles_ = 0;
  bool weights_held_ = false;
  bool phase_fetches_ = false;
  Clock phase_start_ = kNever;  // of the phase under way
  Clock weight_ready_at_ = kNever;
  Clock last_phase_clock_ = kLongAgo;
  int planes_used_ = 0;

  bool weight_idle(Clock now) const {
    return !weights_valid_ && !weights_held_ && phase_start_ == kNever &&
           now > last_phase_clock_ + 1;
  }

  /// Whether the head can neither be handed on nor permitted with these tokens.
  bool head_stands(int tokens) const {
    if (head_->opcode != device::Opcode::kMatmul) return false;
    const int missing = head_->wait & ~tokens;
    const bool waits_for_load = (head_->wait & kLoadToken) != 0;
    const bool operands = waits_for_load ? (missing & kLoadToken) == 0 : missing == 0;
    const bool hands =
        !handed_ && operands && jobs_.size() != kJobs && weight_jobs_.size() != kJobs;
    return !hands && !(handed_ && missing == 0);
  }

  void hand_out() {
    const device::Matmul product = device::decode_matmul(head_->word);
    jobs_.push({.last_row = shape_.rows - 1,
                .tiles = shape_.tiles,
                .sum_row = product.sum_row & (kSumRows - 1),
                .turned = product.transpose_a,
                .accumulate = product.accumulate,
                .ones_row = product.ones_row,
                .gives_load = (head_->signal & kLoadToken) != 0,
                .gives_store = (head_->signal & kStoreToken) != 0});
    weight_jobs_.push(shape_.tiles);
  }

  bool ends_tile() const { return !job_.turned || rows_left_ < n_; }
  Segment segment() const {
    const bool ends = ends_tile();
    const bool ones = job_.ones_row && ends;
    return {.last = (ends ? rows_left_ : n_ - 1) + ones,
            .sum_row = sum_row_,
            .adds = job_.accumulate || !first_tile_,
            .starts_tile = first_block_,
            .ends_tile = ends,
            .starts_job = first_block_ && first_tile_,
            .ends_job = ends && tiles_left_ == 1,
            .gives_load = job_.gives_load,
            .gives_store = job_.gives_store};
  }

  /// Whether a row that enters now at `first`, or one that follows it, would add to a row too soon.
  bool meets_sums(Clock now, int first) const {
    for (const Entered& past : entered_) {
      // Row i of the stretch entered at past.first + i.
      for (Clock at = std::max(past.first, now - loop_ + 1); at <= past.last; ++at) {
        const int row = past.row + static_cast<int>(at - past.first);
        const int later = (row - first) & (kSumRows - 1);
        if (later < loop_ - static_cast<int>(now - at)) return true;
      }
    }
    return false;
  }

  /// One clock of the row feeder; whether a row is read in it.
  bool clock_rows(Clock now, bool& tile_done) {
    const bool first = step_ == 0;
    if (first && !walker_valid_ && !held_valid_) {
      wait();
      take_job();
      return false;
    }
    const Segment rows_of_pass = held_valid_ ? held_ : segment();
    const bool fetches = first ? walker_valid_ && job_.turned : fetching_;
    const bool sends = first ? held_valid_ || (walker_valid_ && !job_.turned) : sending_;
    bool goes = true;
    if (first && sends) {
      const bool has_weights = !rows_of_pass.starts_tile || tiles_ready_ != 0;
      const bool has_permit = !rows_of_pass.starts_job || permits_ != 0;
      const bool has_sums =
          !rows_of_pass.starts_tile || !rows_of_pass.adds || !meets_sums(now, rows_of_pass.sum_row);
      goes = has_weights && has_permit && has_sums;
      if (has_weights && has_permit && !has_sums) ++wait_for_sums;
    }
    const bool row = goes && sends && step_ <= rows_of_pass.last;
    if (!row) wait();
    if (!goes) {
      if (!walker_valid_) take_job();
      return false;
    }
    if (first && sends) start_rows(now, rows_of_pass);

    const bool ends_rows = row && step_ == rows_of_pass.last;
    if (row) ++rows;
    if (ends_rows) {
      tile_done = rows_of_pass.ends_tile;
      tiles += rows_of_pass.ends_tile;
      last_row_ = now;
      if (rows_of_pass.ends_job) {
        running_ = false;
        load_given_ = rows_of_pass.gives_load;
        if (rows_of_pass.gives_store) sums_given_.push(now + token_clocks_);
      }
    }
    const bool ends = (!fetches || step_ >= n_ - 1) && (!sends || step_ >= rows_of_pass.last);
    if (!ends) {
      ++step_;
      fetching_ = fetches;
      sending_ = sends;
      // The rows up to the last one, which ends them.
      if (row && step_ < rows_of_pass.last) {
        rows_until_ = now + 1 + (rows_of_pass.last - step_);
        step_ = rows_of_pass.last;
      }
      if (!walker_valid_) take_job();
      return row;
    }
    const bool consumes = fetches || !held_valid_;
    const bool job_ends = consumes && walker_valid_ && ends_tile() && tiles_left_ == 1;
    const Segment read = fetches ? segment() : Segment{};
    step_ = 0;
    held_valid_ = fetches;
    held_ = read;
    if (!walker_valid_ || job_ends) {
      take_job();
    } else if (consumes) {
      advance();
    }
    return row;
  }

  /// A clock without a row, but with a product that is permitted.
  void wait() {
    if ((permits_ != 0 || running_) && tiles_ready_ == 0) ++wait_for_weights;
  }

  void start_rows(Clock now, const Segment& rows_of_pass) {
    if (rows_of_pass.starts_tile) --tiles_ready_;
    if (rows_of_pass.starts_tile && rows_of_pass.starts_job) {
      --permits_;
      running_ = true;
    }
    newest_ = (newest_ + 1) & 7;
    entered_[newest_] = {now, now + rows_of_pass.last, rows_of_pass.sum_row};
  }

  void take_job() {
    walker_valid_ = !jobs_.empty();
    if (!walker_valid_) return;
    job_ = jobs_.front();
    jobs_.pop();
    tiles_left_ = job_.tiles;
    rows_left_ = job_.last_row;
    sum_row_ = job_.sum_row;
    first_tile_ = true;
    first_block_ = true;
  }

  void advance() {
    const bool ends = ends_tile();
    if (ends) {
      --tiles_left_;
      rows_left_ = job_.last_row;
      sum_row_ = job_.sum_row;
      first_tile_ = false;
    } else {
      rows_left_ -= n_;
      sum_row_ = (sum_row_ + n_) & (kSumRows - 1);
    }
    first_block_ = ends;
  }

  void clock_weights(Clock now, bool tile_done) {
    bool enters = false;
    if (phase_start_ == kNever) {
      if (weights_held_ ? planes_used_ != 2 : weights_valid_) {
        phase_start_ = now;
        phase_fetches_ = weights_valid_;
        enters = weights_held_;
        weight_ready_at_ = weights_held_ ? now + n_ - 2 : kNever;
      }
    }
    planes_used_ += enters - tile_done;
    bool job_ends = false;
    if (phase_start_ != kNever && now == phase_start_ + n_ - 1) {
      weights_held_ = phase_fetches_;
      phase_start_ = kNever;
      last_phase_clock_ = now;
      if (phase_fetches_) {
        job_ends = weight_tiles_ == 1;
        if (!job_ends) --weight_tiles_;
      }
    }
    if (!weights_valid_ || job_ends) {
      weights_valid_ = !weight_jobs_.empty();
      if (weights_valid_) {
        weight_tiles_ = weight_jobs_.front();
        weight_jobs_.pop();
      }
    }
  }
};

}  // namespace systole::timing
