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
  struct Real {
    float y;  // refused at 11: no width in hardware
  };
  Real clock(const Inputs& in) { return {.y = static_cast<float>(in.x.value())}; }
};
