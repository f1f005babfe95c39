#pragma once

#include "systole/hls/int.h"

namespace systole::tests {

using namespace systole::hls;

/// & | ^ ~, sign changes, cuts and extensions.
template <int kA, int kB>
struct Bitwise {
  struct Inputs {
    UInt<kA> a;
    UInt<kB> b;
    Int<kA + 1> c;
  };
  struct Outputs {
    UInt<(kA > kB ? kA : kB)> both;
    UInt<(kA > kB ? kA : kB)> either;
    UInt<(kA > kB ? kA : kB)> one;
    UInt<kA> none;
    Int<kA + 7> extended;
    UInt<kA + 7> extended_bits;
    UInt<kA + 1> bits;
    UInt<1> low;
    UInt<(kA > kB ? kA : kB)> mixed;
  };

  Outputs clock(const Inputs& in) {
    const Outputs out{.both = in.a & in.b,
                      .either = in.a | in.b,
                      .one = in.a ^ in.b,
                      .none = ~in.a,
                      .extended = in.c,
                      .extended_bits = truncate<UInt<kA + 7>>(in.c),
                      .bits = as_unsigned(in.c),
                      .low = truncate<UInt<1>>(in.c),
                      .mixed = mixed_};
    mixed_ = (mixed_ & ~in.b) | (in.a ^ (in.b & mixed_));
    return out;
  }
  void reset() { mixed_ = UInt<(kA > kB ? kA : kB)>(0); }

 private:
  UInt<(kA > kB ? kA : kB)> mixed_;
};

}  // namespace systole::tests
