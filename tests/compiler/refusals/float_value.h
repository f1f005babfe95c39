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
    const float f = static_cast<float>(in.x.value()) * 0.3f;  // refused at 40: float or double
    return {.y = UInt<8>::from(static_cast<unsigned>(f))};
  }
};
