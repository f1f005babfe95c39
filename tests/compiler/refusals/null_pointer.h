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
    UInt<8>* p = nullptr;
    if (in.c) p = &q_;
    *p = in.x;  // refused at 8: keep no pointers
    return {.y = in.x};
  }

  UInt<8> q_;
};
