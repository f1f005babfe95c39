#include "systole/hls/int.h"

#include <vector>

using namespace systole::hls;


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
    std::vector<UInt<8>> v(4);  // refused at 26: make it an array of registers or a Ram
    v[0] = in.x;
    return {.y = v[0]};
  }
};
