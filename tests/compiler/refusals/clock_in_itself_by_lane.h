#include "systole/hls/int.h"

using namespace systole::hls;

struct Lane {
  struct Inputs { UInt<8> x; };
  struct Outputs { UInt<8> y; };
  Outputs clock(const Inputs& in) { if (in.x == 3) return clock({kept}); kept = in.x; return {in.x}; }  // refused at 59: clock() calls itself
  UInt<8> kept;
};

struct Top {
  struct Inputs {
    UInt<8> x;
    UInt<1> c;
    UInt<3> i;
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs clock(const Inputs& in) {
    for (int n = 0; n < 2; ++n) lane_[n].clock({in.x});
    return {.y = in.x};
  }

  Lane lane_[2];
};
