#pragma once

#include "systole/hls/int.h"

namespace systole::tests {

using namespace systole::hls;

/// Slices of values, of sums and of slices, and concatenations of them.
struct Slices {
  struct Inputs {
    UInt<37> a;
    Int<23> b;
    UInt<128> wide;
  };
  struct Outputs {
    UInt<5> middle;
    UInt<23> swapped;
    UInt<4> of_sum;
    UInt<9> of_signed;
    UInt<60> joined;
    UInt<64> across;
    UInt<1> top;
    UInt<128> rotated;
    UInt<12> picked;
  };

  Outputs clock(const Inputs& in) {
    const auto sum = in.a + in.a;
    Outputs out;
    out.middle = slice<20, 16>(in.a);
    out.swapped = concat(slice<10, 0>(in.b), slice<22, 11>(in.b));
    out.of_sum = slice<19, 16>(sum + UInt<38>(12345));
    out.of_signed = slice<22, 14>(in.b);
    out.joined = concat(in.a, as_unsigned(in.b));
    out.across = slice<96, 33>(in.wide);
    out.top = as_bit(bit<127>(in.wide) && !bit<0>(in.b));
    out.rotated = concat(slice<40, 0>(in.wide), slice<127, 41>(in.wide));
    out.picked = concat(slice<3, 0>(slice<11, 4>(in.a)), UInt<4>(9), slice<7, 4>(in.wide));
    return out;
  }
};

}  // namespace systole::tests
