#pragma once

#include "systole/hls/int.h"

namespace systole::tests {

using namespace systole::hls;

/// Exact sums, differences and products at the ports and in registers.
template <int kA, int kB>
struct Arithmetic {
  struct Inputs {
    UInt<kA> a;
    UInt<kB> b;
    Int<kA> c;
    Int<kB> d;
  };
  struct Outputs {
    UInt<(kA > kB ? kA : kB) + 1> sum;
    Int<(kA > kB ? kA : kB) + 1> difference;
    UInt<kA + kB> product;
    Int<(kA > kB ? kA : kB) + 1> signed_sum;
    Int<(kA > kB ? kA : kB) + 1> signed_difference;
    Int<kA + kB> signed_product;
    UInt<kA> wrapped;
    Int<kA + kB> registered;
  };

  Outputs clock(const Inputs& in) {
    const Outputs out{.sum = in.a + in.b,
                      .difference = in.a - in.b,
                      .product = in.a * in.b,
                      .signed_sum = in.c + in.d,
                      .signed_difference = in.c - in.d,
                      .signed_product = in.c * in.d,
                      .wrapped = wrapped_,
                      .registered = registered_};
    wrapped_ = truncate<UInt<kA>>(wrapped_ + truncate<UInt<kA>>(in.c));
    registered_ = truncate<Int<kA + kB>>(in.c * in.d - registered_);
    return out;
  }
  void reset() {
    wrapped_ = UInt<kA>(1);
    registered_ = Int<kA + kB>(-1);
  }

 private:
  UInt<kA> wrapped_;
  Int<kA + kB> registered_;
};

}  // namespace systole::tests
