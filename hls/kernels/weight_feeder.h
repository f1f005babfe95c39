#pragma once

#include "hls/kernels/compute_jobs.h"

namespace systole::kernels {

/// The control of the way from the weights buffer through the turner into the array's planes.
///
/// It works in phases of kN clocks: a tile is read from the buffer, and the tile read before it
/// leaves the turner into the plane that is free. A tile waits in the turner until its plane is
/// free, and the buffer waits with it; where nothing is left to read, the tile leaves alone.
///
/// Timing   a word that is read in one clock enters the turner in the next, in which a column of
///          the tile before enters the array. `tile_ready` shows in the last clock but one of a
///          phase: a row that is read one clock later, or later, may use the tile.
///          A plane may be loaded from the clock of the last row that uses it: `tile_done` is set
///          in the clock in which that row is read.
template <int kN>
struct WeightFeeder {
  static_assert(kN >= 4 && (kN & (kN - 1)) == 0, "steps count to a power of two");

  struct Inputs {
    Beat<WeightJob> job;  ///< a product
    UInt1 tile_done;      ///< a tile's last row is read
    UInt1 stop;           ///< drop everything
  };
  struct Outputs {
    UInt1 job_ready;
    UInt1 read;                    ///< read the weights buffer
    WeightAddress address;         ///< the word to read
    UInt1 turner_step;             ///< the turner takes a word and shows the next
    UInt1 turner_blank;            ///< zeros enter the turner
    UInt1 turner_turn;             ///< the turner changes its way after this step
    UInt1 weight_valid;            ///< a column of weights leaves the turner
    UInt<kHopBits> weight_column;  ///< the column that keeps the weights
    UInt1 weight_plane;            ///< the plane that the weights replace
    UInt1 tile_ready;              ///< one more tile of weights can be used
    UInt1 idle;                    ///< no product is held or under way
  };

  Outputs outputs() const {
    const bool goes = phase_goes();
    return {.job_ready = as_bit(!job_valid_ || ends_job()),
            .read = as_bit(goes && fetches()),
            .address = truncate<WeightAddress>(job_.address + step_),
            .turner_step = turner_step_,
            .turner_blank = turner_blank_,
            .turner_turn = turner_turn_,
            .weight_valid = weight_valid_,
            .weight_column = weight_column_,
            .weight_plane = weight_plane_,
            .tile_ready = as_bit(goes && held_ && step_ == Step(kN - 2)),
            .idle = as_bit(!job_valid_ && !held_ && step_ == 0 && !turner_step_)};
  }

  void clock(const Inputs& in) {
    const bool goes = phase_goes();
    const bool fetch = fetches();
    const bool last_step = step_ == kLastStep;
    const bool job_ends = ends_job();
    const bool enters_plane = goes && step_ == 0 && held_;

    turner_step_ = as_bit(goes);
    turner_turn_ = as_bit(goes && fetch && last_step && job_.turned);
    turner_blank_ = as_bit(!fetch || is_beyond_depth());
    weight_valid_ = as_bit(goes && held_);
    weight_column_ = step_;
    weight_plane_ = plane_;

    if (enters_plane && !in.tile_done) planes_used_ = truncate<UInt<2>>(planes_used_ + UInt1(1));
    if (in.tile_done && !enters_plane) planes_used_ = truncate<UInt<2>>(planes_used_ - UInt1(1));
    if (goes) {
      step_ = truncate<Step>(step_ + UInt1(1));
      fetching_ = as_bit(fetch);
    }
    if (goes && last_step) {
      if (held_) plane_ = ~plane_;
      held_ = as_bit(fetch);
    }
    if (!job_valid_ || job_ends) {
      job_valid_ = in.job.valid;
      job_ = in.job.data;
    } else if (goes && fetch && last_step) {
      job_.tiles = truncate<UInt16>(job_.tiles - UInt1(1));
      job_.address = truncate<WeightAddress>(job_.address + job_.tile_step);
    }
    if (in.stop) clear();
  }

  void reset() { clear(); }

 private:
  using Step = UInt<index_bits(kN)>;
  static constexpr Step kLastStep = Step(kN - 1);

  UInt1 job_valid_;
  WeightJob job_;  ///< address and tiles are those of the tile that is read
  Step step_;
  UInt1 fetching_;  ///< a tile is read in this phase
  UInt1 held_;      ///< the turner holds a tile, or it leaves in this phase
  UInt1 plane_;     ///< that takes the tile held
  UInt<2> planes_used_;
  UInt1 turner_step_;
  UInt1 turner_blank_;
  UInt1 turner_turn_;
  UInt1 weight_valid_;
  UInt<kHopBits> weight_column_;
  UInt1 weight_plane_;

  bool fetches() const { return step_ == 0 ? bool(job_valid_) : bool(fetching_); }
  bool phase_goes() const { return step_ != 0 || (held_ ? planes_used_ != 2 : bool(job_valid_)); }
  bool ends_job() const {
    return phase_goes() && fetches() && step_ == kLastStep && job_.tiles == 1;
  }
  bool is_beyond_depth() const {
    return job_.turned && job_.tiles == 1 && UInt8(step_) >= job_.last_depth;
  }

  void clear() {
    job_valid_ = UInt1(0);
    step_ = Step(0);
    held_ = UInt1(0);
    plane_ = UInt1(0);
    planes_used_ = UInt<2>(0);
    turner_step_ = UInt1(0);
    turner_turn_ = UInt1(0);
    weight_valid_ = UInt1(0);
  }
};

}  // namespace systole::kernels
