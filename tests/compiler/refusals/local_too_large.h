#include "systole/hls/int.h"

using namespace systole::hls;

struct Top {
  struct Inputs {
    UInt<11> i;
    UInt<8> x;
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs clock(const Inputs& in) {
    UInt<8> large[2048];
    large[in.i.value()] = in.x;  // refused at 25: 'large' has 2048 elements, more than the 1024 that one clock can choose from; make it a Ram
    return {.y = large[0]};
  }
};
