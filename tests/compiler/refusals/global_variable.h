#include "systole/hls/int.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

inline UInt<8> global;

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
    global = in.x;  // refused at 12: static or global variable
    return {.y = global};
  }
};
