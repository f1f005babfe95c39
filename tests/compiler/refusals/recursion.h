#include <algorithm>

#include "systole/hls/int.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

// ---- a_function_that_calls_itself
inline UInt<8> count(const UInt<8>& x) { return x == 0 ? UInt<8>(0) : truncate<UInt<8>>(count(x >> UInt<1>(1)) + UInt<1>(1)); }

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
    q_ = count(in.x);  // refused at 10: recursion has no hardware
    return {.y = q_};
  }

  UInt<8> q_;
};
// ---- a_function_of_the_library_that_calls_itself
struct Top {
  struct Inputs {
    Vec<UInt<8>, 4> v;
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs clock(const Inputs& in) {
    UInt<8> a[4] = {in.v[0], in.v[1], in.v[2], in.v[3]};
    std::sort(a, a + 4);  // refused at 5: std::sort calls itself inside, and recursion has no hardware; write loops with constant bounds instead of it
    return {.y = a[1]};
  }
};
