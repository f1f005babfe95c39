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
    const Outputs out{.y = count_};
    count_ = truncate<UInt<8>>(count_ + UInt<1>(1));
    return out;
  }

  UInt<8> count_;  // refused at 11: nothing resets it
};
