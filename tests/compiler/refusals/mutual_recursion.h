#include "systole/hls/int.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

UInt<8> odd(const UInt<8>& x);
inline UInt<8> even(const UInt<8>& x) { return x == 0 ? x : odd(x >> UInt<1>(1)); }  // refused at 61: recursion
inline UInt<8> odd(const UInt<8>& x) { return even(x >> UInt<2>(2)); }

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
    q_ = odd(in.x);
    return {.y = q_};
  }

  UInt<8> q_;
};
