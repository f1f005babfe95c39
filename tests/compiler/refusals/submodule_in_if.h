#include "systole/hls/int.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

struct Child {
  struct Inputs {
    UInt<8> x;
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = kept};
    kept = in.x;
    return out;
  }
  UInt<8> kept;
};

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
    Outputs out;
    if (in.c) out.y = child_.clock({.x = in.x}).y;  // refused at 30: outside of loops and conditions
    return out;
  }

  Child child_;
};
