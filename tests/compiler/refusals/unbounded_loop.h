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
    while (q_ != in.x) q_ = q_ ^ (q_ >> in.i);  // refused at 5: constant bound
    return {.y = q_};
  }
  void reset() { q_ = UInt<8>(0); }

  UInt<8> q_;
};
