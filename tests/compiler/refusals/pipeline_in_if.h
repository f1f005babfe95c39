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
    const UInt<8> y = pipe_.output();
    if (in.c) pipe_.clock(in.x);  // refused at 21: once
    return {.y = y};
  }

  Pipeline<&twist, 2> pipe_;
};
