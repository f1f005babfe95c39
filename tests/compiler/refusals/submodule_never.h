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
  Outputs clock(const Inputs& in) { return {.y = in.x}; }

  Child child_;  // refused at 9: never clocked
};
