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
    for (int n = 0; n < 8; ++n) {
      if (a_[n] == in.x) break;  // refused at 11: constant bound
      a_[n] = in.x;
    }
    return {.y = a_[0]};
  }

  UInt<8> a_[8];
};
