#pragma once

#include <utility>

#include "systole/hls/int.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

/// What else of C++ a kernel may use: lambdas, references, while loops with constant bounds, early
/// returns, enums, base classes, templates over functions.
struct Idioms {
  enum class Mode : unsigned { kIdle, kRun, kDrain };
  struct Inputs {
    UInt<10> x;
    UInt<10> y;
    UInt<2> mode;
  };
  struct Outputs {
    UInt<10> chosen;
    UInt<10> early;
    UInt<5> log;
    UInt<10> rotated;
    UInt<10> swapped;
    UInt<4> ones;
    UInt<10> applied;
    Int<10> negated;
  };

  static UInt<10> early(const UInt<10>& x, const UInt<10>& y) {
    if (x == 0) return y;
    if (y > x) return truncate<UInt<10>>(y - x);
    const UInt<10> both = x & y;
    if (both == x) return ~x;
    return both;
  }

  template <typename Function>
  static UInt<10> apply(Function function, UInt<10> x) {
    for (int i = 0; i < 3; ++i) x = function(x);
    return x;
  }

  Outputs clock(const Inputs& in) {
    Outputs out;
    const auto twice = [&](const UInt<10>& x) { return truncate<UInt<10>>(x + x + in.y); };
    out.chosen = chosen_;
    out.early = early(in.x, in.y);
    UInt<5> log;
    int i = 0;
    while (i < 10) {
      if (((in.x.raw() >> i) & 1) != 0) log = UInt<5>::from(static_cast<unsigned>(i));
      ++i;
    }
    out.log = log;
    const UInt<4> turn = slice<3, 0>(in.y);
    out.rotated = (in.x << turn) | (in.x >> truncate<UInt<4>>(UInt<4>(10) - turn));
    UInt<10> a = in.x;
    UInt<10> b = in.y;
    std::swap(a, b);
    UInt<10>& target = a;
    target = truncate<UInt<10>>(target + UInt<10>(3));
    out.swapped = a ^ (b << UInt<2>(1));
    UInt<4> ones;
    for (int bit = 0; bit < 10; ++bit) {
      ones = truncate<UInt<4>>(ones + UInt<1>::from(in.y.value() >> bit));
    }
    out.ones = ones;
    out.applied = apply(twice, in.x);
    out.negated = truncate<Int<10>>(Int<11>(0) - Int<11>(in.x));
    const auto mode = static_cast<Mode>(in.mode.value());
    if (mode == Mode::kRun) {
      chosen_ = in.x;
    } else if (mode == Mode::kDrain) {
      chosen_ = UInt<10>(0);
    }
    return out;
  }
  void reset() { chosen_ = UInt<10>(0); }

 private:
  UInt<10> chosen_;
};

}  // namespace systole::tests
