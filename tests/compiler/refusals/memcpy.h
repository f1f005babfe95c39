#include <cstring>

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
    std::memcpy(&a_[0], &in.v, 3);  // refused at 5: raw memory
    return {.y = a_[1]};
  }

  UInt<8> a_[4];
};
