#include "systole/hls/int.h"

using namespace systole::hls;

struct Top {
  struct Inputs {
    UInt<8> x;
    UInt<4> i;
  };
  struct Outputs {
    UInt<8> q;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.q = a_[3]};
    for (int i = 0; i < 16; ++i) {
      if (in.x == a_[i]) {
        for (int n = 0; n < 16; ++n) a_[n] = in.x;
      } else if (in.x < a_[i]) {
        if (b_[i] == 0) break;  // refused at 13: this is written out for each way to it, which is too often
      }
      b_[i] = in.x;
    }
    b_[in.i.value()] = in.x;
    return out;
  }
  void reset() {
    for (int n = 0; n < 16; ++n) a_[n] = 0;
    for (int n = 0; n < 16; ++n) b_[n] = 0;
  }
  UInt<8> a_[16];
  UInt<8> b_[16];
};
