#pragma once

#include <algorithm>

#include "systole/hls/int.h"

namespace systole::tests {

using namespace systole::hls;

/// Minimum, maximum, magnitude, clamps, saturation and nested choices.
struct Choices {
  struct Inputs {
    UInt<11> a;
    UInt<11> b;
    Int<13> c;
    Int<13> d;
    UInt<3> which;
  };
  struct Outputs {
    UInt<11> least;
    UInt<11> most;
    Int<13> signed_least;
    Int<13> signed_most;
    UInt<13> magnitude;
    Int<8> clamped;
    UInt<11> saturated_sum;
    UInt<11> saturated_difference;
    UInt<11> nested;
    UInt<13> distance;
  };

  Outputs clock(const Inputs& in) {
    Outputs out;
    out.least = in.a < in.b ? in.a : in.b;
    out.most = in.a < in.b ? in.b : in.a;
    out.signed_least = std::min(in.c, in.d);
    out.signed_most = std::max(in.c, in.d);
    out.magnitude = in.c < 0 ? truncate<UInt<13>>(Int<13>(0) - in.c) : as_unsigned(in.c);
    out.clamped = in.c > Int<13>(127)    ? Int<8>(127)
                  : in.c < Int<13>(-128) ? Int<8>(-128)
                                         : truncate<Int<8>>(in.c);
    const UInt<12> sum = in.a + in.b;
    out.saturated_sum = bit<11>(sum) ? ~UInt<11>(0) : slice<10, 0>(sum);
    out.saturated_difference = in.a < in.b ? UInt<11>(0) : truncate<UInt<11>>(in.a - in.b);
    out.nested = in.which == 0   ? in.a
                 : in.which == 1 ? in.b
                 : in.which == 2 ? (in.a > in.b ? in.a & in.b : in.a | in.b)
                 : in.which == 5 ? UInt<11>(77)
                                 : slice<12, 2>(in.c);
    const auto gap = in.c - in.d;
    out.distance = gap < 0 ? truncate<UInt<13>>(in.d - in.c) : truncate<UInt<13>>(gap);
    return out;
  }
};

}  // namespace systole::tests
