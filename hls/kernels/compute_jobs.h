#pragma once

#include "hls/kernels/engine.h"
#include "hls/kernels/matrix_unit.h"

namespace systole::kernels {

/// What the parts of the compute engine hand to each other.

using RowAddress = UInt<index_bits(kRowBufferRows)>;
using WeightAddress = UInt<index_bits(kWeightBufferRows)>;
using SumRow = UInt<1 + index_bits(kDefaultBankRows)>;

/// A product as the weight feeder sees it.
struct WeightJob {
  WeightAddress address;    ///< of the first tile's first word
  WeightAddress tile_step;  ///< from there to the next tile's
  UInt16 tiles;
  UInt8 last_depth;
  UInt1 turned;  ///< words lie across the columns: the turner turns each tile
};

/// A product as the row feeder sees it.
struct RowJob {
  RowAddress address;     ///< of the first tile's first word
  RowAddress tile_step;   ///< from there to the next tile's
  RowAddress block_step;  ///< when turned, from a block of N rows to the next
  UInt16 last_row;        ///< rows - 1
  UInt16 tiles;
  UInt8 last_depth;
  SumRow sum_row;
  UInt1 is_int8;
  UInt1 turned;  ///< words lie across the rows: the turner turns each block
  UInt1 accumulate;
  UInt1 ones_row;
  UInt1 gives_load;   ///< a token, when its last row is read
  UInt1 gives_store;  ///< a token, when its sums can be read
  UInt1 gives_vector;
};

}  // namespace systole::kernels
