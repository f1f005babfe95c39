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
    auto* a = static_cast<UInt<8>*>(__builtin_alloca(in.i.value() + 1));  // refused at 37: constant size
    a[0] = in.x;
    return {.y = a[0]};
  }
};
