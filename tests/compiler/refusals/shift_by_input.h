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
    return {.y = UInt<8>::from(1u << in.x.value())};  // refused at 35: may be 32 or more, which C++ leaves undefined
  }
};
