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
    const double d = static_cast<double>(in.x.value());  // refused at 42: float or double
    q_ = d > 3.5 ? in.x : q_;
    return {.y = q_};
  }

  UInt<8> q_;
};
