#pragma once

#include "systole/hls/int.h"

namespace systole::tests {

using namespace systole::hls;

/// Outputs that are chosen by what one value equals.
struct CaseChoices {
  enum Speed { kStop, kSlow, kFast, kTop };

  struct Inputs {
    UInt<4> offset;
    UInt<6> a;
    UInt<6> b;
    UInt1 other;
    Speed speed;
  };
  struct Outputs {
    UInt<6> word;
    UInt<6> inner;
    UInt<6> pair;
    UInt<6> again;
    UInt<6> step;
    UInt1 flag;
    UInt<3> part;
  };

  /// Three labels, one of two values.
  static UInt<6> word(const Inputs& in) {
    if (in.offset == 3) return in.a;
    if (in.offset == 5 || in.offset == 6) return in.b;
    if (in.offset == 9) return UInt<6>(in.a ^ in.b);
    return UInt<6>(17);
  }
  /// Another chain where no label fits.
  static UInt<6> inner(const Inputs& in) {
    if (in.a == 1) return in.b;
    if (in.a == 2) return UInt<6>(~in.b);
    if (in.a == 40) return UInt<6>(in.offset);
    if (in.b == 7) return in.a;
    if (in.b == 8) return UInt<6>(1);
    if (in.b == 9) return UInt<6>(2);
    return UInt<6>(3);
  }
  /// Two labels stay a choice.
  static UInt<6> pair(const Inputs& in) {
    if (in.offset == 1) return in.a;
    if (in.offset == 2) return in.b;
    return UInt<6>(0);
  }
  /// A label's first arm takes it.
  static UInt<6> again(const Inputs& in) {
    if (in.offset == 1) return in.a;
    if (in.offset == 2) return in.b;
    if (in.offset == 1 || in.offset == 4) return UInt<6>(9);
    if (in.offset == 15) return UInt<6>(10);
    return UInt<6>(11);
  }
  static UInt<6> step(const Inputs& in) {
    switch (in.speed) {
      case kStop:
        return UInt<6>(0);
      case kSlow:
        return in.a;
      case kFast:
        return in.b;
      default:
        return UInt<6>(63);
    }
  }
  static UInt1 flag(const Inputs& in) {
    if (in.b == 11) return in.other;
    if (in.b == 22) return as_bit(in.a == in.b);
    if (in.b == 33) return as_bit(in.a < in.b);
    return as_bit(in.a == 5);
  }
  /// Parts of a vector stay a choice.
  static UInt<3> part(const Inputs& in) {
    if (in.b == 11) return slice<2, 0>(in.a);
    if (in.b == 22) return slice<3, 1>(in.a);
    if (in.b == 33) return slice<5, 3>(in.a);
    return UInt<3>(0);
  }

  Outputs clock(const Inputs& in) {
    return {.word = word(in),
            .inner = inner(in),
            .pair = pair(in),
            .again = again(in),
            .step = step(in),
            .flag = flag(in),
            .part = part(in)};
  }
};

}  // namespace systole::tests
