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
    unsigned n = 0;
  again:
    a_[n & 7] = in.x;
    if (n < in.x.value()) {  // refused at 9: constant bound
      ++n;
      goto again;
    }
    return {.y = a_[0]};
  }

  UInt<8> a_[8];
};
