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
    for (unsigned n = 0; n < in.i.value(); ++n) a_[n] = in.x;  // refused at 5: constant bound
    return {.y = a_[0]};
  }

  UInt<8> a_[8];
};
