#pragma once

#include "hls/kernels/accumulators.h"
#include "hls/kernels/systolic_array.h"

namespace systole::kernels {

/// The systolic array and the accumulators it feeds: what the compute engine drives.
///
/// Four independent ports, each one beat a clock: weight columns, rows of activations (each with
/// the accumulator row that its sums go to), preloads of accumulator rows, and reads of them.
///
/// Shapes   activation[kN] is one row of A's tile, weight[kN] one column of B's tile (element k is
///          row k), preload[kN] and result[kN] one row of C's tile
/// Timing   a row's sums enter the accumulators kArrayCycles clocks after the row entered; all
///          other times are those of SystolicArray and Accumulators
/// Limits   nothing stalls and nothing is checked: the sequencer keeps the distances
/// Numbers  docs/numerics.md
template <int kN, int kBankRows, int kStages = kMacStages>
struct MatrixUnit {
  using Totals = Accumulators<kN, kBankRows>;
  using Row = typename Totals::Row;
  /// What travels with a row: {valid, accumulator row, accumulate, is_int8}.
  static constexpr int kTagBits = 3 + Row::kWidth;
  using Array = SystolicArray<kN, kTagBits, kStages>;

  static constexpr int kArrayCycles = Array::kLatency;
  /// A row that accumulates may follow, this many clocks later, one to the same accumulator row.
  static constexpr int kLoopCycles = Totals::kLoopCycles;
  static constexpr int kWriteCycles = Totals::kWriteCycles;
  static constexpr int kReadCycles = Totals::kReadCycles;

  struct Inputs {
    UInt1 row_valid;             ///< a row enters
    Vec<UInt16, kN> activation;  ///< bf16, or int8 in the low byte
    UInt1 plane;                 ///< the weights that this row multiplies
    UInt1 is_int8;               ///< int8 operands and int32 sums; else bf16 and fp32
    Row row;                     ///< {bank, row in bank} that the sums go to
    UInt1 accumulate;            ///< add to that row; else overwrite it

    UInt1 weight_valid;            ///< a column of weights enters
    Vec<UInt16, kN> weight;        ///< one for each row of the array
    UInt<kHopBits> weight_column;  ///< the column that keeps the weights
    UInt1 weight_plane;            ///< the plane that the weights replace

    UInt1 preload_valid;      ///< a preload of an accumulator row enters
    Row preload_row;          ///< the row that it overwrites
    Vec<UInt32, kN> preload;  ///< one for each column

    UInt1 read_valid;  ///< a read of an accumulator row enters
    Row read_row;      ///< the row that is read
  };
  struct Outputs {
    UInt1 result_valid;      ///< the result of a read leaves
    Vec<UInt32, kN> result;  ///< one for each column
  };

  Outputs clock(const Inputs& in) {
    const auto sums = array_.clock(
        {.activation = in.activation,
         .plane = in.plane,
         .is_int8 = in.is_int8,
         .tag = concat(concat(in.row_valid, in.row), concat(in.accumulate, in.is_int8)),
         .weight = in.weight,
         .weight_column = in.weight_column,
         .weight_plane = in.weight_plane,
         .weight_valid = in.weight_valid});
    const auto totals = totals_.clock({.sum_valid = slice<kTagBits - 1, kTagBits - 1>(sums.tag),
                                       .sum_row = slice<kTagBits - 2, 2>(sums.tag),
                                       .accumulate = slice<1, 1>(sums.tag),
                                       .is_int8 = slice<0, 0>(sums.tag),
                                       .sum = sums.sum,
                                       .preload_valid = in.preload_valid,
                                       .preload_row = in.preload_row,
                                       .preload = in.preload,
                                       .read_valid = in.read_valid,
                                       .read_row = in.read_row});
    return {.result_valid = totals.result_valid, .result = totals.result};
  }

  void reset() {
    array_.reset();
    totals_.reset();
  }

 private:
  Array array_;
  Totals totals_;
};

/// The default accelerator's accumulator depth, rows of one bank.
inline constexpr int kDefaultBankRows = 512;

}  // namespace systole::kernels
