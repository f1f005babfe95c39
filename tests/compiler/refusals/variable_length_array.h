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
    UInt<8> a[in.i.value() + 1];  // refused at 5: constant size
    a[0] = in.x;
    return {.y = a[0]};
  }
};
