#include "systole/hls/int.h"

using namespace systole::hls;

struct Top {
  struct Inputs {
    UInt<2> i;
    UInt<8> x;
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs clock(const Inputs& in) {
    UInt<8> three[3] = {in.x, ~in.x, 7};
    if (in.i != 0) three[in.i.value()] = 1;  // refused at 40: this index may fall outside of 'three', which has 3 elements
    return {.y = three[2]};
  }
};
