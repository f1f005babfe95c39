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
    try { return {.y = in.x};  // refused at 5: hardware has no exceptions
    } catch (...) { return {.y = UInt<8>(0)};
    }
  }
};
