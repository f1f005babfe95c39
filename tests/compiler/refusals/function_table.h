#include "systole/hls/int.h"

using namespace systole::hls;

inline UInt<8> same(UInt<8> a) { return a; }
inline UInt<8> flip(UInt<8> a) { return ~a; }

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
    static constexpr UInt<8> (*kTable[2])(UInt<8>) = {same, flip};
    return {.y = kTable[in.c.value()](in.x)};  // refused at 18: call the function by its name
  }
};
