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
    unsigned value;
    if (in.c) value = static_cast<unsigned>(in.x.value());  // refused at 9: uninitialized
    q_ = UInt<8>::from(value);
    return {.y = q_};
  }

  UInt<8> q_;
};
