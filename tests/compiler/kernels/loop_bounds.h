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

/// Loops that `break` leaves by a test of what they compute: of many iterations, of wide values,
/// and of a body that is no small one.
struct LeftEarly {
  struct Inputs {
    UInt<30> x;
    UInt<30> limit;
    UInt<80> wide;
    UInt<80> wide_limit;
  };
  struct Outputs {
    UInt<30> many;
    UInt<80> wide;
    UInt<30> mixed;
    UInt<7> place;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.many = many_, .wide = wide_, .mixed = mixed_, .place = place_};
    many_ = in.x;
    for (int i = 0; i < 40; ++i) {
      many_ += 3;
      if (many_ > in.limit) break;
    }
    UInt<80> wide = in.wide;
    for (int i = 0; i < 6; ++i) {
      wide += 5;
      if (wide > in.wide_limit) break;
    }
    wide_ = wide;
    UInt<30> mixed = in.x;
    for (int i = 0; i < 6; ++i) {
      for (int k = 1; k < 24; ++k) mixed ^= mixed >> k;
      mixed += 7;
      if (mixed > in.limit) break;
    }
    mixed_ = mixed;
    place_ = 127;
    for (int i = 0; i < 80; ++i) {
      if (!in.wide[i]) continue;
      place_ = UInt<7>::from(i);
      break;
    }
    return out;
  }
  void reset() {
    many_ = 0;
    wide_ = 0;
    mixed_ = 0;
    place_ = 0;
  }

 private:
  UInt<30> many_;
  UInt<80> wide_;
  UInt<30> mixed_;
  UInt<7> place_;
};

}  // namespace systole::tests
