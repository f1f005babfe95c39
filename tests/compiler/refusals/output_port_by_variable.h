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
  struct Many {
    Vec<UInt<8>, 8> y;
  };
  Many clock(const Inputs& in) {
    Many out;
    out.y[static_cast<int>(in.i.value())] = in.x;  // refused at 43: variable index
    return out;
  }
};
