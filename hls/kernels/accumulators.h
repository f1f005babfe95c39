#pragma once

#include "hls/kernels/accumulate.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/ram.h"
#include "systole/hls/vec.h"

namespace systole::kernels {

/// Two banks of kBankRows rows of kN sums. While rows from the array are added into one bank, the
/// other is read out or preloaded, one row a clock each.
///
/// Shapes   a row address is {bank, row in bank}: 1 + log2(kBankRows) bits
/// Timing   a sum that enters is in its row, for a read or for a sum to the same row that enters,
///          kLoopCycles clocks later. A read's data leaves kReadCycles clocks after it entered. A
///          preload is in its row for whatever enters one clock later.
/// Numbers  accumulate.h
/// Limits   a read and an accumulating sum that enter in one clock must name different banks, and
///          so must a preload and a sum that entered kWriteCycles clocks earlier; the sum wins
template <int kN, int kBankRows, int kStages = kAccumulateStages>
struct Accumulators {
  using Row = UInt<1 + index_bits(kBankRows)>;
  using BankRow = UInt<index_bits(kBankRows)>;
  static constexpr int kReadCycles = 2;
  static constexpr int kAddCycles = 1 + kStages;  // a block RAM is slow: its bank is chosen first
  static constexpr int kWriteCycles = kAddCycles + 1;
  static constexpr int kLoopCycles = kWriteCycles + 1;

  struct Inputs {
    UInt1 sum_valid;          ///< a row of sums enters
    Row sum_row;              ///< the row that it goes to
    UInt1 accumulate;         ///< add to the row; else overwrite it
    UInt1 is_int8;            ///< int8 operands and int32 sums; else bf16 and fp32
    Vec<UInt32, kN> sum;      ///< one for each column
    UInt1 preload_valid;      ///< a row of preloads enters
    Row preload_row;          ///< the row that it overwrites
    Vec<UInt32, kN> preload;  ///< one for each column
    UInt1 read_valid;         ///< a read enters
    Row read_row;             ///< the row that is read
  };
  struct Outputs {
    UInt1 result_valid;      ///< the result of a read leaves
    Vec<UInt32, kN> result;  ///< one for each column
  };

  Outputs clock(const Inputs& in) {
    Outputs out;
    out.result_valid = result_valid_;
#pragma unroll
    for (int n = 0; n < kN; ++n) out.result[n] = result_[n];

    // The sums that have been added go back to their row; the other bank may take a preload.
    const Pending& done = pending_[kAddCycles];
    Vec<UInt32, kN> added;
#pragma unroll
    for (int n = 0; n < kN; ++n) added[n] = total_[n].output();
    const UInt1 done_bank = bank_of(done.row);
    const UInt1 preload_bank = bank_of(in.preload_row);
    const UInt1 sum_bank = bank_of(in.sum_row);
    const UInt1 read_bank = bank_of(in.read_row);
    const UInt1 add0 = done.valid & ~done_bank;
    const UInt1 add1 = done.valid & done_bank;
    const UInt1 old0 = in.sum_valid & in.accumulate & ~sum_bank;
    const UInt1 old1 = in.sum_valid & in.accumulate & sum_bank;

    const auto from0 = bank0_.clock({.read_enable = old0 | (in.read_valid & ~read_bank),
                                     .read_address = row_of(old0 ? in.sum_row : in.read_row),
                                     .write_enable = add0 | (in.preload_valid & ~preload_bank),
                                     .write_address = row_of(add0 ? done.row : in.preload_row),
                                     .write_data = select_row(add0, added, in.preload)});
    const auto from1 = bank1_.clock({.read_enable = old1 | (in.read_valid & read_bank),
                                     .read_address = row_of(old1 ? in.sum_row : in.read_row),
                                     .write_enable = add1 | (in.preload_valid & preload_bank),
                                     .write_address = row_of(add1 ? done.row : in.preload_row),
                                     .write_data = select_row(add1, added, in.preload)});

    for (int n = 0; n < kN; ++n) {
      total_[n].clock(met_.is_int8, met_.accumulate, old_[n], met_.sum[n]);
    }
    // The row read at the last edge is a result, or meets its sum.
    const Pending& arrived = pending_[0];
#pragma unroll
    for (int n = 0; n < kN; ++n) {
      result_[n] = read_bank_ ? from1.read_data[n] : from0.read_data[n];
      old_[n] = bank_of(arrived.row) ? from1.read_data[n] : from0.read_data[n];
    }
    met_ = entered_;
    entered_ = {.is_int8 = in.is_int8, .accumulate = in.accumulate, .sum = in.sum};

    result_valid_ = read_valid_;
    read_valid_ = in.read_valid;
    read_bank_ = read_bank;
#pragma unroll
    for (int i = kAddCycles; i > 0; --i) pending_[i] = pending_[i - 1];
    pending_[0] = {.valid = in.sum_valid, .row = in.sum_row};
    return out;
  }

  void reset() {
#pragma unroll
    for (int i = 0; i <= kAddCycles; ++i) pending_[i].valid = UInt1(0);
    read_valid_ = UInt1(0);
    result_valid_ = UInt1(0);
  }

 private:
  /// A sum on its way through the adder.
  struct Pending {
    UInt1 valid;
    Row row;
  };

  /// What a sum is added with.
  struct Entered {
    UInt1 is_int8;
    UInt1 accumulate;
    Vec<UInt32, kN> sum;
  };

  Ram<Vec<UInt32, kN>, kBankRows> bank0_;
  Ram<Vec<UInt32, kN>, kBankRows> bank1_;
  Pipeline<&accumulate, kStages> total_[kN];
  Pending pending_[kAddCycles + 1];
  Entered entered_;
  Entered met_;  ///< a clock later, beside old_
  UInt32 old_[kN];
  UInt32 result_[kN];
  UInt1 result_valid_;
  UInt1 read_valid_;
  UInt1 read_bank_;

  static UInt1 bank_of(const Row& row) { return slice<Row::kWidth - 1, Row::kWidth - 1>(row); }
  static BankRow row_of(const Row& row) { return slice<Row::kWidth - 2, 0>(row); }
  static Vec<UInt32, kN> select_row(const UInt1& first, const Vec<UInt32, kN>& a,
                                    const Vec<UInt32, kN>& b) {
    Vec<UInt32, kN> selected;
#pragma unroll
    for (int n = 0; n < kN; ++n) selected[n] = first ? a[n] : b[n];
    return selected;
  }
};

}  // namespace systole::kernels
