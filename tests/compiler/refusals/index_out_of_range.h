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
    q_ = a_[in.i.value()];  // refused at 8: outside
    for (int n = 0; n < 5; ++n) a_[n] = in.x;
    return {.y = in.x};
  }

  UInt<8> a_[5];
  UInt<8> q_;
};
