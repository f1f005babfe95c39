#pragma once

#include "hls/kernels/compute_jobs.h"

namespace systole::kernels {

/// Rows that enter the array one after another: a tile, or of a turned product a block of it.
struct Segment {
  RowAddress address;  ///< of its first word
  UInt1 turned;
  UInt1 last_tile;
  UInt8 last_depth;  ///< of the product
  UInt16 last;       ///< its rows, less one, and the row of ones counted
  UInt1 has_one_row;
  SumRow sum_row;  ///< of its first row
  UInt1 is_int8;
  UInt1 adds;  ///< to the accumulators; else overwrites them
  UInt1 has_ones;
  UInt1 starts_tile;
  UInt1 ends_tile;
  UInt1 starts_job;
  UInt1 ends_job;
  UInt1 gives_load;
  UInt1 gives_store;
  UInt1 gives_vector;
};

/// Cuts a product into segments in the order in which they are read: tiles along the depth, blocks
/// within them. Registers without a clock of their own; the row feeder moves them.
template <int kN>
struct RowWalker {
  UInt1 valid_;
  RowJob job_;
  UInt16 tiles_left_;
  UInt16 rows_left_;  ///< of the tile, less one
  RowAddress tile_address_;
  RowAddress address_;  ///< of the segment's first word
  SumRow sum_row_;
  UInt1 first_tile_;
  UInt1 first_block_;

  bool last_tile() const { return tiles_left_ == 1; }
  bool ends_tile() const { return !job_.turned || rows_left_ < UInt16(kN); }

  Segment segment() const {
    const bool ends = ends_tile();
    const bool has_ones = job_.ones_row && ends;
    const UInt16 rows = ends ? rows_left_ : UInt16(kN - 1);
    return {.address = address_,
            .turned = job_.turned,
            .last_tile = as_bit(last_tile()),
            .last_depth = job_.last_depth,
            .last = truncate<UInt16>(rows + as_bit(has_ones)),
            .has_one_row = as_bit(rows == 0 && !has_ones),
            .sum_row = sum_row_,
            .is_int8 = job_.is_int8,
            .adds = as_bit(job_.accumulate || !first_tile_),
            .has_ones = as_bit(has_ones),
            .starts_tile = first_block_,
            .ends_tile = as_bit(ends),
            .starts_job = as_bit(first_block_ && first_tile_),
            .ends_job = as_bit(ends && last_tile()),
            .gives_load = job_.gives_load,
            .gives_store = job_.gives_store,
            .gives_vector = job_.gives_vector};
  }

  bool ends_job() const { return ends_tile() && last_tile(); }

  void take(const Beat<RowJob>& job) {
    valid_ = job.valid;
    job_ = job.data;
    tiles_left_ = job.data.tiles;
    rows_left_ = job.data.last_row;
    tile_address_ = job.data.address;
    address_ = job.data.address;
    sum_row_ = job.data.sum_row;
    first_tile_ = UInt1(1);
    first_block_ = UInt1(1);
  }

  /// The segment after this one; the product continues.
  void advance() {
    const bool ends = ends_tile();
    const RowAddress next_tile = truncate<RowAddress>(tile_address_ + job_.tile_step);
    const RowAddress next_block = truncate<RowAddress>(address_ + job_.block_step);
    const SumRow next_sums = truncate<SumRow>(sum_row_ + SumRow(kN));
    if (ends) {
      tiles_left_ = truncate<UInt16>(tiles_left_ - UInt1(1));
      rows_left_ = job_.last_row;
      tile_address_ = next_tile;
      address_ = next_tile;
      sum_row_ = job_.sum_row;
      first_tile_ = UInt1(0);
    } else {
      rows_left_ = truncate<UInt16>(rows_left_ - UInt16(kN));
      address_ = next_block;
      sum_row_ = next_sums;
    }
    first_block_ = as_bit(ends);
  }
};

}  // namespace systole::kernels
