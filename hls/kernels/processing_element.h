#pragma once

#include <type_traits>

#include "hls/kernels/mac.h"
#include "systole/hls/pipeline.h"

namespace systole::kernels {

/// Width of the count of columns that a weight still has to cross; enough for N = 128.
inline constexpr int kHopBits = 7;

/// What a row of the array passes from column to column, one column a clock.
struct Operand {
  UInt16 activation;  ///< bf16, or int8 in the low byte
  UInt1 plane;        ///< which of the weights it multiplies
  UInt1 is_int8;      ///< int8 operands; else bf16
};

/// A weight on its way along a row to the column that keeps it.
struct WeightBeat {
  UInt16 value;         ///< bf16, or int8 in the low byte
  UInt<kHopBits> hops;  ///< columns still to cross; the processing element that sees 0 keeps it
  UInt1 plane;          ///< which of its two weights it replaces
  UInt1 valid;          ///< a weight is on its way
};

/// One multiply-add of the array and its two weights: while one plane multiplies, the other loads.
///
/// Timing   operand and weight leave one clock after they entered. The sum that entered with the
///          clock at which an operand is held leaves kMacStages clocks later.
/// Numbers  mac.h
/// Limits   a weight that arrives in the clock in which an operand of its plane is held is used by
///          the operands after that one
template <int kStages = kMacStages>
struct ProcessingElement {
  struct Unused {};
  struct Inputs {
    Operand operand;    ///< what the row passes on
    WeightBeat weight;  ///< a weight on its way along the row
    UInt32 sum;         ///< from the row above
  };
  struct Outputs {
    Operand operand;    ///< what the row passes on
    WeightBeat weight;  ///< a weight on its way along the row
    UInt32 sum;         ///< to the row below
  };

  Operand operand_;
  WeightBeat passing_;
  UInt16 weight0_;
  UInt16 weight1_;
  static constexpr bool kApart = kStages >= kMacStagesApart;
  static constexpr int kAddStages = kApart ? kStages - kMacMultiplyStages : 1;
  template <typename T>
  using IfApart = std::conditional_t<kApart, T, Unused>;
  std::conditional_t<kApart, Unused, Pipeline<&mac, kStages>> mac_;
  IfApart<Pipeline<&mac_multiply, kMacMultiplyStages>> product_;
  IfApart<Pipeline<&mac_add, kAddStages>> sum_;

  Outputs clock(const Inputs& in) {
    const Outputs out{.operand = operand_, .weight = next_weight(), .sum = sum()};
    add();
    multiply(in.sum);
    keep_weight();
    operand_ = in.operand;
    passing_ = in.weight;
    return out;
  }

  /// The product of the clock before goes on, where it has a pipeline of its own.
  void add() {
    if constexpr (kApart) sum_.clock(product_.output());
  }

  /// The operand held meets its weight and the sum from the row above.
  void multiply(const UInt32& sum) {
    const UInt16 weight = operand_.plane ? weight1_ : weight0_;
    if constexpr (kApart) {
      product_.clock(operand_.is_int8, operand_.activation, weight, sum);
    } else {
      mac_.clock(operand_.is_int8, operand_.activation, weight, sum);
    }
  }
  UInt32 sum() const {
    if constexpr (kApart) {
      return sum_.output();
    } else {
      return mac_.output();
    }
  }

  /// A weight that has arrived where it belongs is kept.
  void keep_weight() {
    const bool arrived = passing_.valid && passing_.hops == 0;
    if (arrived && !passing_.plane) weight0_ = passing_.value;
    if (arrived && passing_.plane) weight1_ = passing_.value;
  }

  /// What the next column is handed: the same weight, one hop closer.
  WeightBeat next_weight() const {
    return {.value = passing_.value,
            .hops = truncate<UInt<kHopBits>>(passing_.hops - UInt<kHopBits>(1)),
            .plane = passing_.plane,
            .valid = passing_.valid};
  }
};

}  // namespace systole::kernels
