#include "systole/hls/int.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

inline UInt<8> count(const UInt<8>& x) { return x == 0 ? UInt<8>(0) : truncate<UInt<8>>(count(x >> UInt<1>(1)) + UInt<1>(1)); }

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
    q_ = count(in.x);  // refused at 10: recursion has no hardware
    return {.y = q_};
  }

  UInt<8> q_;
};
