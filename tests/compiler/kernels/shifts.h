#pragma once

#include "systole/hls/int.h"

namespace systole::tests {

using namespace systole::hls;

/// Shifts by every amount, also at and beyond the width, and cuts of what they give.
template <int kBits, int kAmount>
struct Shifts {
  static constexpr int kLow = kBits >= 3 ? 3 : 1;
  struct Inputs {
    UInt<kBits> x;
    UInt<kAmount> amount;
    UInt<1> fill;
  };
  struct Outputs {
    UInt<kBits> left;
    UInt<kBits> right;
    UInt<kLow> left_low;
    UInt<kLow> right_low;
    UInt<1> right_top;
    UInt<kBits> mask;
    UInt<kBits> inverted_mask;
    UInt<kBits> there_and_back;
    UInt<kBits> chosen;
  };

  Outputs clock(const Inputs& in) {
    const UInt<kBits> left = in.x << in.amount;
    const UInt<kBits> right = in.x >> in.amount;
    const UInt<kBits> mask = ~(~UInt<kBits>(0) << in.amount);
    return {.left = left,
            .right = right,
            .left_low = slice<kLow - 1, 0>(left),
            .right_low = slice<kLow - 1, 0>(right),
            .right_top = slice<kBits - 1, kBits - 1>(right),
            .mask = mask,
            .inverted_mask = ~UInt<kBits>(0) << in.amount,
            .there_and_back = (in.x >> in.amount) << in.amount,
            .chosen = in.fill ? (in.x >> in.amount) | ~(~UInt<kBits>(0) >> in.amount)
                              : in.x >> in.amount};
  }
};

}  // namespace systole::tests
