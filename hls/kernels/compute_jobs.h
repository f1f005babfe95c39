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
  UInt16 tiles;             ///< tiles to read
  UInt8 last_depth;         ///< words of the last tile
  UInt1 turned;             ///< words lie across the columns: the turner turns each tile
};

/// A product as the row feeder sees it.
struct RowJob {
  RowAddress address;     ///< of the first tile's first word
  RowAddress tile_step;   ///< from there to the next tile's
  RowAddress block_step;  ///< when turned, from a block of N rows to the next
  UInt16 last_row;        ///< rows - 1
  UInt16 tiles;           ///< tiles to multiply
  UInt8 last_depth;       ///< of the last tile
  SumRow sum_row;         ///< the accumulator row of the first sums
  UInt1 is_int8;          ///< int8 operands and int32 sums; else bf16 and fp32
  UInt1 turned;           ///< words lie across the rows: the turner turns each block
  UInt1 accumulate;       ///< add to the sums; else overwrite them
  UInt1 ones_row;         ///< a row of ones follows the last row
  UInt1 gives_load;       ///< a token, when its last row is read
  UInt1 gives_store;      ///< a token, when its sums can be read
  UInt1 gives_vector;     ///< the same for vector
};

}  // namespace systole::kernels
