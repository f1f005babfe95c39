#pragma once

#include "hls/kernels/processing_element.h"
#include "systole/hls/vec.h"

namespace systole::kernels {

/// kN x kN processing elements, weight stationary: one row of activations in and one row of sums
/// out a clock, sum[n] = activation[0] * w[0][n] + ... + activation[kN-1] * w[kN-1][n].
///
/// Activations move right and sums move down; row k lags row k-1 by kMacStages clocks. A weight
/// tile enters by columns on the same wavefront: weight[k] of a beat is w[k][weight_column]. The
/// skew of the rows and the deskew of the columns are inside, so that a whole row enters in one
/// beat and leaves in one beat.
///
/// Shapes   activation[kN], weight[kN]: element k goes to row k; sum[kN]: element n is column n
/// Timing   sums and tag leave kLatency clocks after their row entered; one row a clock, no stalls.
///          A row uses the weights of all beats before it: its plane's kN columns must have entered
///          at least one clock earlier. A beat that enters with a row or after it does not touch
///          it: a plane may be loaded again from the clock of the last row that uses it.
/// Numbers  mac.h; k ascending, starting from +0
/// Limits   kN = 2 .. 128. A beat that is not a row still moves through; its sums mean nothing.
template <int kN, int kTagBits, int kStages = kMacStages>
struct SystolicArray {
  static_assert(kN >= 2 && kN <= (1 << kHopBits), "hops must count every column");
  static constexpr int kLatency = kN * kStages + kN + 1;

  struct Inputs {
    Vec<UInt16, kN> activation;    ///< one for each row
    UInt1 plane;                   ///< the weights that this row multiplies
    UInt1 is_int8;                 ///< int8 operands and int32 sums; else bf16 and fp32
    UInt<kTagBits> tag;            ///< leaves with the row's sums
    Vec<UInt16, kN> weight;        ///< one for each row
    UInt<kHopBits> weight_column;  ///< the column that keeps the weights
    UInt1 weight_plane;            ///< the plane that the weights replace
    UInt1 weight_valid;            ///< the weights are a column of a tile
  };
  struct Outputs {
    UInt<kTagBits> tag;   ///< entered with the row
    Vec<UInt32, kN> sum;  ///< one for each column
  };

  Outputs clock(const Inputs& in) {
    Outputs out;
    out.tag = tag_out_;
#pragma unroll
    for (int n = 0; n < kN; ++n) out.sum[n] = sum_out_[n];

    pass_sums_down();
    collect_sums();
    for (int i = 0; i < kN * kN; ++i) pe_[i].add();
    for (int i = 0; i < kN * kN; ++i) pe_[i].multiply(sum_from_above_[i]);
    for (int i = 0; i < kN * kN; ++i) pe_[i].keep_weight();
    move_right();
    enter_rows(in);
    move_tags(in.tag);
    return out;
  }

 private:
  /// Triangles of registers: row k waits k * kStages clocks, column n waits kN - 1 - n.
  static constexpr int kSkewCount = kStages * kN * (kN - 1) / 2;
  static constexpr int skew_head(int k) { return kStages * k * (k - 1) / 2; }
  static constexpr int skew_tail(int k) { return skew_head(k + 1) - 1; }
  static constexpr int kDeskewCount = kN * (kN - 1) / 2;
  static constexpr int deskew_head(int n) { return n * (kN - 1) - n * (n - 1) / 2; }
  static constexpr int deskew_tail(int n) { return deskew_head(n + 1) - 1; }
  static constexpr int kControlCount = kStages * (kN - 1);
  static constexpr int kBottom = kN * kN - kN;

  /// What goes with the operands and weights of a beat, the same for every row.
  struct Control {
    UInt1 plane;
    UInt1 is_int8;
    UInt<kHopBits> weight_column;
    UInt1 weight_plane;
    UInt1 weight_valid;
  };

  ProcessingElement<kStages> pe_[kN * kN];
  UInt32 sum_from_above_[kN * kN];
  UInt16 activation_skew_[kSkewCount];
  UInt16 weight_skew_[kSkewCount];
  Control control_[kControlCount];
  UInt32 deskew_[kDeskewCount];
  UInt32 sum_out_[kN];
  UInt<kTagBits> tag_[kLatency - 1];
  UInt<kTagBits> tag_out_;

  /// A row continues the sum that left the row above before this edge.
  void pass_sums_down() {
    for (int n = 0; n < kN; ++n) sum_from_above_[n] = UInt32(0);
    for (int i = kN; i < kN * kN; ++i) sum_from_above_[i] = pe_[i - kN].sum();
  }

  /// Column n of the bottom row is n clocks late; it waits for the last one.
  void collect_sums() {
#pragma unroll
    for (int n = 0; n < kN - 1; ++n) sum_out_[n] = deskew_[deskew_tail(n)];
    sum_out_[kN - 1] = pe_[kN * kN - 1].sum();
    for (int i = kDeskewCount - 1; i > 0; --i) deskew_[i] = deskew_[i - 1];
#pragma unroll
    for (int n = 0; n < kN - 1; ++n) deskew_[deskew_head(n)] = pe_[kBottom + n].sum();
  }

  /// Every column takes what its left neighbour held; column 0 is overwritten by enter_rows.
  void move_right() {
    for (int i = kN * kN - 1; i > 0; --i) {
      pe_[i].operand_ = pe_[i - 1].operand_;
      pe_[i].passing_ = pe_[i - 1].next_weight();
    }
  }

  void enter_rows(const Inputs& in) {
    const Control control{.plane = in.plane,
                          .is_int8 = in.is_int8,
                          .weight_column = in.weight_column,
                          .weight_plane = in.weight_plane,
                          .weight_valid = in.weight_valid};
    enter(0, in.activation[0], in.weight[0], control);
#pragma unroll
    for (int k = 1; k < kN; ++k) {
      enter(k, activation_skew_[skew_tail(k)], weight_skew_[skew_tail(k)],
            control_[k * kStages - 1]);
    }
    for (int i = kSkewCount - 1; i > 0; --i) {
      activation_skew_[i] = activation_skew_[i - 1];
      weight_skew_[i] = weight_skew_[i - 1];
    }
#pragma unroll
    for (int k = 1; k < kN; ++k) {
      activation_skew_[skew_head(k)] = in.activation[k];
      weight_skew_[skew_head(k)] = in.weight[k];
    }
    for (int i = kControlCount - 1; i > 0; --i) control_[i] = control_[i - 1];
    control_[0] = control;
  }

  void enter(int k, const UInt16& activation, const UInt16& weight, const Control& control) {
    pe_[k * kN].operand_ = {
        .activation = activation, .plane = control.plane, .is_int8 = control.is_int8};
    pe_[k * kN].passing_ = {.value = weight,
                            .hops = control.weight_column,
                            .plane = control.weight_plane,
                            .valid = control.weight_valid};
  }

  void move_tags(const UInt<kTagBits>& tag) {
    tag_out_ = tag_[kLatency - 2];
    for (int i = kLatency - 2; i > 0; --i) tag_[i] = tag_[i - 1];
    tag_[0] = tag;
  }

 public:
  /// Tags carry a row's validity, so they start from 0; the rest is data.
  void reset() {
    tag_out_ = UInt<kTagBits>(0);
    for (int i = 0; i < kLatency - 1; ++i) tag_[i] = UInt<kTagBits>(0);
  }
};

}  // namespace systole::kernels
