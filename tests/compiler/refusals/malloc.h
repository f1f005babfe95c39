#include <cstdlib>

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
    auto* p = static_cast<unsigned char*>(std::malloc(4));  // refused at 43: cannot allocate memory
    p[0] = static_cast<unsigned char>(in.x.value());
    return {.y = UInt<8>::from(p[0])};
  }

  UInt<8> q_;
};
