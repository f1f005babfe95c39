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
    return {.y = as_bit(static_cast<const void*>(&in) == static_cast<const void*>(this))};  // refused at 55: an address has no meaning in hardware
  }
};
