#include "systole/hls/int.h"

using namespace systole::hls;


struct Top {
  struct Inputs {
    UInt<8> x;
    UInt<1> c;
    UInt<3> i;
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = a_};
    a_ = truncate<UInt<8>>(b_ + in.x);
    b_ = out.y ^ in.x;
    return out;
  }

  UInt<8> a_;  // refused at 11: nothing resets it
  UInt<8> b_;
};
