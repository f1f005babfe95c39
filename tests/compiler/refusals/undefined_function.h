#include "systole/hls/int.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

UInt<8> elsewhere(const UInt<8>& x);

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
    return {.y = elsewhere(in.x)};  // refused at 18: has no body here
  }
};
