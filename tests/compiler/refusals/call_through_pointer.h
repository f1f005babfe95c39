#include "systole/hls/int.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

inline UInt<8> one(const UInt<8>& x) { return x; }
inline UInt<8> two(const UInt<8>& x) { return ~x; }

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
    UInt<8> (*chosen)(const UInt<8>&) = in.c ? &one : &two;
    q_ = chosen(in.x);  // refused at 10: call through a pointer
    return {.y = q_};
  }

  UInt<8> q_;
};
