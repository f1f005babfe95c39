#include "systole/hls/int.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

struct Top {
  struct Inputs {
    UInt<8> x;
    UInt<1> c;
    UInt<3> i;
    Vec<UInt<8>, 4> v;
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs clock(const Inputs& in) {
    const UInt<8> y = a_[in.i.value()];  // refused at 23: variable index
    a_[0] = in.x;
    return {.y = y};
  }

  UInt<8> a_[8];
};
