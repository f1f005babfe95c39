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
    unsigned _BitInt(8) value;
    q_ = UInt<8>::from_raw(value);  // refused at 28: uninitialized
    return {.y = in.x};
  }

  UInt<8> q_;
};
