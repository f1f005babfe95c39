#pragma once

#include "hls/kernels/row_walker.h"

namespace systole::kernels {

/// The control of the way from the rows buffer into the array.
///
/// It works in passes. In a pass a segment of rows enters the array: a whole tile straight from the
/// buffer or, of a turned product, a block of up to kN rows that the turner holds; the row of ones
/// follows a tile's last row. While a block leaves the turner, the next one is read.
///
/// The walker runs up to two segments ahead.
///
/// Timing   one row a clock; a pass that has started is not held up. A row that is read (a block:
///          whose turn to leave it is) in one clock is at the array two clocks later. A tile starts
///          when its weights are there, its product is permitted, and none of its rows adds to an
///          accumulator row that another row went to less than kLoopCycles earlier; blocks of one
///          tile follow each other.
template <int kN>
struct RowFeeder {
  static constexpr int kQueuedJobs = 4;  ///< before it
  static constexpr int kHeldJobs = 4;    ///< walker, the two after it, turner: none has sent a row
  static constexpr int kLoopCycles = MatrixUnit<kN, kDefaultBankRows>::kLoopCycles;

  struct Inputs {
    Beat<RowJob> job;  ///< a product
    UInt1 tile_ready;  ///< one more tile of weights can be used
    UInt1 permit;      ///< one more product may start
    UInt1 stop;        ///< drop everything
  };
  struct Outputs {
    UInt1 job_ready;
    UInt1 read;           ///< read the rows buffer
    RowAddress address;   ///< the word to read
    UInt1 tile_done;      ///< a tile's last row is read
    UInt1 gives_load;     ///< the last row is read of a product that gives load a token
    UInt1 gives_store;    ///< the same for store
    UInt1 gives_vector;   ///< the same for vector
    UInt1 row_goes;       ///< a row is read
    UInt1 permitted;      ///< a permitted product is not done
    UInt1 lacks_weights;  ///< a tile waits for its weights
    UInt1 lacks_sums;     ///< a tile waits for sums that are under way
    // One clock after a read.
    UInt1 turner_step;   ///< the turner takes a word and shows the next
    UInt1 turner_blank;  ///< zeros enter the turner
    UInt1 turner_turn;   ///< the turner changes its way after this step
    UInt1 takes_row;     ///< the buffer's word goes to the array
    UInt1 takes_ones;    ///< a row of ones goes to the array
    UInt1 takes_turned;  ///< the turner's word goes to the array
    UInt1 takes_int8;    ///< the word has int8 elements
    // Two clocks after a read: at the array.
    UInt1 row_valid;   ///< a row enters
    UInt1 plane;       ///< the weights that this row multiplies
    UInt1 is_int8;     ///< int8 operands and int32 sums; else bf16 and fp32
    SumRow row;        ///< the accumulator row that the sums go to
    UInt1 accumulate;  ///< add to the row; else overwrite it
    UInt1 idle;        ///< no product is held or under way
  };

  Outputs outputs() const {
    const Segment rows = rows_of_pass();
    const Pass pass = this_pass(rows);
    const bool permitted = permits_ != 0 || running_;
    return {.job_ready = as_bit(takes_job()),
            .read = pass.reads,
            .address = truncate<RowAddress>(next_.address + step_),
            .tile_done = as_bit(pass.ends_rows && rows.ends_tile),
            .gives_load = as_bit(pass.ends_rows && rows.ends_job && rows.gives_load),
            .gives_store = as_bit(pass.ends_rows && rows.ends_job && rows.gives_store),
            .gives_vector = as_bit(pass.ends_rows && rows.ends_job && rows.gives_vector),
            .row_goes = pass.row,
            .permitted = as_bit(permitted),
            .lacks_weights = as_bit(permitted && !pass.row && tiles_ready_ == 0),
            .lacks_sums = pass.lacks_sums,
            .turner_step = turner_step_,
            .turner_blank = turner_blank_,
            .turner_turn = turner_turn_,
            .takes_row = entering_[0].valid,
            .takes_ones = takes_ones_,
            .takes_turned = takes_turned_,
            .takes_int8 = at_read_.is_int8,
            .row_valid = entering_[1].valid,
            .plane = at_array_.plane,
            .is_int8 = at_array_.is_int8,
            .row = entering_[1].row,
            .accumulate = at_array_.accumulate,
            .idle = as_bit(!walker_.valid_ && !next_valid_ && !held_valid_ && begins_)};
  }

  void clock(const Inputs& in) {
    const Segment rows = rows_of_pass();
    const Pass pass = this_pass(rows);
    const bool tile_starts = pass.goes && pass.sends && begins_ && rows.starts_tile;
    const bool job_starts = tile_starts && rows.starts_job;
    const bool tile_ends = pass.ends_rows && rows.ends_tile;

    turner_step_ = as_bit(pass.goes && (pass.fetches ? !past_block_ : bool(held_valid_)));
    turner_turn_ = as_bit(pass.goes && pass.fetches && ends_block_);
    turner_blank_ = as_bit(!pass.fetches || (next_.last_tile && step_ >= UInt16(next_.last_depth)));
    takes_ones_ = rows.has_ones & at_last_;
    takes_turned_ = held_valid_;
    at_array_ = at_read_;
    at_read_ = {.plane = plane_, .is_int8 = rows.is_int8, .accumulate = rows.adds};
#pragma unroll
    for (int i = kLoopCycles - 2; i > 0; --i) entering_[i] = entering_[i - 1];
    entering_[0] = {.valid = pass.row, .row = row_};
    const UInt1 next_meets = meets_sums(next_);
    held_meets_ = pass.ends ? next_meets : meets_sums(held_);

    tiles_ready_ = truncate<UInt<2>>(tiles_ready_ + in.tile_ready - as_bit(tile_starts));
    permits_ = truncate<Permits>(permits_ + in.permit - as_bit(job_starts));
    if (job_starts) running_ = UInt1(1);
    if (pass.ends_rows && rows.ends_job) running_ = UInt1(0);
    if (tile_ends) plane_ = ~plane_;

    const Segment walked = walker_.segment();
    const Segment coming = after_valid_ ? after_ : walked;
    prepare(pass, rows, coming);
    if (pass.ends) {
      step_ = UInt16(0);
      begins_ = UInt1(1);
      held_valid_ = pass.fetches;
      held_ = next_;
    } else if (pass.goes) {
      step_ = truncate<UInt16>(step_ + UInt1(1));
      begins_ = UInt1(0);
      fetching_ = pass.fetches;
      sending_ = pass.sends;
    }
    walk(in, as_bit(pass.ends && pass.consumes), walked, coming, next_meets);
    if (in.stop) clear();
  }

  void reset() {
    next_valid_ = UInt1(0);
    after_valid_ = UInt1(0);
    clear();
  }

 private:
  using Permits = UInt<index_bits(kQueuedJobs + kHeldJobs + 1)>;

  /// A row on its way: what later rows must not add to too soon.
  struct Entering {
    UInt1 valid;
    SumRow row;
  };
  struct Control {
    UInt1 plane;
    UInt1 is_int8;
    UInt1 accumulate;
  };
  /// What this clock does.
  struct Pass {
    UInt1 goes;
    UInt1 fetches;   ///< a block is read
    UInt1 sends;     ///< rows enter the array
    UInt1 consumes;  ///< its segment comes from the walker
    UInt1 reads;
    UInt1 row;        ///< in this clock
    UInt1 ends_rows;  ///< with it
    UInt1 ends;
    UInt1 lacks_sums;
  };

  RowWalker<kN> walker_;
  Segment held_;  ///< the block in the turner
  UInt1 held_valid_;
  UInt1 held_meets_;  ///< it starts a tile whose first row would meet a sum
  Segment next_;      ///< from the walker
  UInt1 next_valid_;
  UInt1 next_meets_;
  Segment after_;  ///< it
  UInt1 after_valid_;
  UInt16 step_;
  UInt1 begins_;      ///< step_ is 0
  UInt1 at_last_;     ///< at the last row of rows_of_pass()
  UInt1 past_last_;   ///< past it
  UInt1 ends_block_;  ///< at the last row of a block that is read
  UInt1 past_block_;  ///< past it
  SumRow row_;        ///< of this step's row
  UInt1 fetching_;
  UInt1 sending_;
  UInt1 plane_;
  UInt<2> tiles_ready_;
  Permits permits_;  ///< of products of which no row has been sent
  UInt1 running_;
  UInt1 turner_step_;
  UInt1 turner_blank_;
  UInt1 turner_turn_;
  UInt1 takes_ones_;
  UInt1 takes_turned_;
  Control at_read_;
  Control at_array_;
  Entering entering_[kLoopCycles - 1];  ///< the last rows, the latest first

  Segment rows_of_pass() const { return held_valid_ ? held_ : next_; }

  bool takes_job() const { return !walker_.valid_ || (!after_valid_ && walker_.ends_job()); }

  /// Segments move up, and whether they would meet sums is known when they are there.
  void walk(const Inputs& in, const UInt1& consumes, const Segment& walked, const Segment& coming,
            const UInt1& next_meets) {
    const bool takes = takes_job();
    const bool advances = !after_valid_;
    const UInt1 comes = walker_.valid_ & ~after_valid_ & ~in.stop;
    const UInt1 after_meets = meets_sums(after_);
    const UInt1 walked_meets = meets_sums(walked);
    if (consumes | in.stop | ~next_valid_) {
      next_meets_ = after_valid_ ? after_meets : walked_meets;
      next_ = coming;
      next_valid_ = after_valid_ | comes;
      after_valid_ = UInt1(0);
    } else {
      next_meets_ = next_meets;
      if (comes) after_ = walked;
      after_valid_ = after_valid_ | comes;
    }
    if (takes) {
      walker_.take(in.job);
    } else if (advances) {
      walker_.advance();
    }
  }

  /// What the next clock's step is compared with is compared in this one. Only a pass that ends is
  /// known late, so it chooses last.
  void prepare(const Pass& pass, const Segment& rows, const Segment& coming) {
    const Segment after_pass = pass.fetches || (held_valid_ && next_valid_) ? next_ : coming;
    const Segment next = next_valid_ ? next_ : coming;
    const Segment waiting = held_valid_ ? held_ : next;
    const Segment first = pass.ends ? after_pass : waiting;
    const UInt1 continues = pass.goes & ~pass.ends;
    const auto step = truncate<UInt16>(step_ + UInt1(1));
    past_last_ = continues & (at_last_ | past_last_);
    at_last_ = continues ? as_bit(step == rows.last) : first.has_one_row;
    row_ = continues ? truncate<SumRow>(row_ + UInt1(1)) : first.sum_row;
    past_block_ = continues & (ends_block_ | past_block_);
    ends_block_ = continues & as_bit(step_ == UInt16(kN - 2));
  }

  /// Whether a segment that starts a tile with the next clock would add to a row too soon.
  UInt1 meets_sums(const Segment& segment) const {
    UInt1 meets = UInt1(0);
#pragma unroll
    for (int i = 0; i < kLoopCycles - 1; ++i) {
      const SumRow later = truncate<SumRow>(entering_[i].row - segment.sum_row);
      const auto too_soon = SumRow::from(static_cast<unsigned>(kLoopCycles - 1 - i));
      meets = meets | (entering_[i].valid & as_bit(later < too_soon));
    }
    return meets & segment.starts_tile & segment.adds;
  }

  Pass this_pass(const Segment& rows) const {
    const bool first = bool(begins_);
    const bool held = bool(held_valid_);
    const bool fetches = first ? next_valid_ && next_.turned : bool(fetching_);
    const bool sends = first ? held || (next_valid_ && !next_.turned) : bool(sending_);

    const bool has_weights = !rows.starts_tile || tiles_ready_ != 0;
    const bool has_permit = !rows.starts_job || permits_ != 0;
    const bool has_sums = !(held ? held_meets_ : next_meets_);
    const bool may_send = has_weights && has_permit && has_sums;
    const bool goes = !first || (sends ? may_send : fetches);

    const bool row = goes && sends && !past_last_;
    const bool reads_row = !held && !(next_.has_ones && at_last_);
    return {.goes = as_bit(goes),
            .fetches = as_bit(fetches),
            .sends = as_bit(sends),
            .consumes = as_bit(fetches || !held),
            .reads = as_bit(goes && (fetches ? !past_block_ : reads_row)),
            .row = as_bit(row),
            .ends_rows = as_bit(row && at_last_),
            .ends = as_bit(goes && (!fetches || ends_block_ || past_block_) &&
                           (!sends || at_last_ || past_last_)),
            .lacks_sums = as_bit(first && sends && has_weights && has_permit && !has_sums)};
  }

  void clear() {
    walker_.valid_ = UInt1(0);
    held_valid_ = UInt1(0);
    step_ = UInt16(0);
    begins_ = UInt1(1);
    plane_ = UInt1(0);
    tiles_ready_ = UInt<2>(0);
    permits_ = Permits(0);
    running_ = UInt1(0);
    past_last_ = UInt1(0);
    ends_block_ = UInt1(0);
    past_block_ = UInt1(0);
    turner_step_ = UInt1(0);
    turner_turn_ = UInt1(0);
#pragma unroll
    for (int i = 0; i < kLoopCycles - 1; ++i) entering_[i].valid = UInt1(0);
  }
};

}  // namespace systole::kernels
