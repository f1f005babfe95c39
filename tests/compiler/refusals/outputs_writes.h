#include "systole/hls/int.h"

using namespace systole::hls;

struct Top {
  struct Inputs {
    UInt<8> x;
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs outputs() const {
    kept_ = UInt<8>(3);  // refused at 11: outputs() writes a register
    return {.y = kept_};
  }
  void clock(const Inputs& in) { kept_ = in.x; }

 private:
  mutable UInt<8> kept_;
};
