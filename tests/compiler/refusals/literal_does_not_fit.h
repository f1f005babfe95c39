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
    return {.y = in.c ? in.x : UInt<8>(256)};  // refused at 32: the literal must fit its type
  }
};
