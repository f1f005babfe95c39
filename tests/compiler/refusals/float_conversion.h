#include "systole/hls/float.h"

using namespace systole::hls;

struct Top {
  struct Inputs {
    Fp32 x;
  };
  struct Outputs {
    Fp32 y;
  };
  Outputs clock(const Inputs& in) {
    return {.y = Fp32::from(in.x.value() * 0.5f)};  // refused at 34: float or double
  }
};
