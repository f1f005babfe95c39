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
    thread_local UInt<8> t;
    t = in.x;  // refused at 5: static or global variable
    return {.y = t};
  }
};
