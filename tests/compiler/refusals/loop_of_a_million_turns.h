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
    UInt<32> r = in.x;
    for (int n = 0; n < 1000000; ++n) r = truncate<UInt<32>>(r * r + in.x);  // refused at 5: this loop of 1000000 turns is written out
    return {.y = truncate<UInt<8>>(r)};
  }
};
