#pragma once

#include "systole/hls/int.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

/// Loops over registers that count down to 0, turns that are skipped, and accesses that a condition
/// keeps inside their array.
struct LoopBounds {
  struct Inputs {
    UInt<8> x;
    UInt<4> n;
    UInt<3> shift;
  };
  struct Outputs {
    UInt<8> last;
    UInt<8> guarded;
    UInt<4> ones;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.last = down_[15], .guarded = guarded_, .ones = ones_};
    for (int i = 15; i >= 0; --i) {
      down_[i] = i == 0 ? in.x : down_[i - 1];
    }
    if (in.n < 10) {
      guarded_ = ten_[in.n.value()];
      ten_[in.n.value()] = in.x;
    }
    UInt<4> ones = 0;
    UInt<8> rest = in.x;
    for (int i = 0; i < 8; ++i) {
      if (rest == 0) continue;
      rest = rest & truncate<UInt<8>>(rest - UInt<1>(1));
      ones = truncate<UInt<4>>(ones + UInt<1>(1));
    }
    ones_ = ones;
    return out;
  }
  void reset() {
    for (int i = 15; i >= 0; --i) down_[i] = UInt<8>(0);
    for (int i = 0; i < 10; ++i) ten_[i] = UInt<8>(0);
    guarded_ = UInt<8>(0);
    ones_ = UInt<4>(0);
  }

 private:
  UInt<8> down_[16];
  UInt<8> ten_[10];
  UInt<8> guarded_;
  UInt<4> ones_;
};

}  // namespace systole::tests
