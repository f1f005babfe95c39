#include "systole/hls/int.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

constexpr UInt<8> twist(const UInt<8>& x) { return x ^ (x >> UInt<2>(3)); }

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
    for (int n = 0; n < 3; ++n) pipe_[n].clock(a_[n]);  // refused at 42: lanes of 'pipe_'
    a_[0] = in.x;
    return {.y = in.x};
  }

  Pipeline<&twist, 2> pipe_[4];
  UInt<8> a_[4];
};
