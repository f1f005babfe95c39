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
    u_.word = in.x;
    q_ = u_.other;
    return {.y = q_};
  }

  union {
    UInt<8> word;
    UInt<8> other;
  } u_;  // refused at 5: union
  UInt<8> q_;
};
