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
  struct Flags {
    UInt<8> y;
    bool z;  // refused at 10: no value
  };
  Flags clock(const Inputs& in) {
    Flags out;
    out.y = in.x;
    return out;
  }
};
