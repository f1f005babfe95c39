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
    UInt<8>& target = in.c ? a_ : b_;
    target = in.x;  // refused at 12: keep no pointers
    return {.y = a_};
  }

  UInt<8> a_;
  UInt<8> b_;
};
