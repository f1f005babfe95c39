#pragma once

#include "systole/hls/int.h"

namespace systole::tests {

using namespace systole::hls;

/// Every comparison, between values and with constants, unsigned and signed.
template <int kBits>
struct Comparisons {
  struct Inputs {
    UInt<kBits> a;
    UInt<kBits> b;
    Int<kBits + 1> c;
    Int<kBits + 1> d;
  };
  struct Outputs {
    UInt<6> values;
    UInt<6> signed_values;
    UInt<6> constants;
    UInt<6> signed_constants;
    bool both_zero;
    bool in_range;
  };

  static UInt<6> six(bool a, bool b, bool c, bool d, bool e, bool f) {
    return concat(concat(as_bit(a), as_bit(b), as_bit(c)), concat(as_bit(d), as_bit(e), as_bit(f)));
  }

  Outputs clock(const Inputs& in) {
    constexpr int kOne = 1;
    constexpr int kMost = kBits >= 7 ? 100 : (1 << kBits) - 1;
    return {.values =
                six(in.a == in.b, in.a != in.b, in.a<in.b, in.a <= in.b, in.a> in.b, in.a >= in.b),
            .signed_values =
                six(in.c == in.d, in.c != in.d, in.c<in.d, in.c <= in.d, in.c> in.d, in.c >= in.d),
            .constants = six(in.a == UInt<kBits>(kMost), in.a < UInt<kBits>(kOne), in.a > 0,
                             in.a <= UInt<kBits>(kMost), in.a >= UInt<kBits>(kMost), in.a != 0),
            .signed_constants =
                six(in.c<0, in.c >= 0, in.c> Int<kBits + 1>(-1), in.c <= Int<kBits + 1>(-2),
                    in.c == Int<kBits + 1>(-1), in.c > Int<kBits + 1>(kOne)),
            .both_zero = in.a == 0 && in.b == 0,
            .in_range = in.c >= Int<kBits + 1>(-kOne) && in.c < in.d};
  }
};

}  // namespace systole::tests
