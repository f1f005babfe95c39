#include "systole/hls/int.h"

using namespace systole::hls;

struct Nothing {};

struct Child {  // refused at 8: the outputs() of Child have no bits
  struct Inputs {
    UInt<8> x;
  };
  struct Outputs {
    Nothing y;
  };
  Outputs outputs() const { return {}; }
  void clock(const Inputs& in) { kept_ = in.x; }

 private:
  UInt<8> kept_;
};

struct Top {
  struct Inputs {
    UInt<8> x;
  };
  struct Outputs {
    UInt<8> x;
    Nothing y;
  };
  Outputs clock(const Inputs& in) {
    const Nothing shown = child_.outputs().y;
    child_.clock({.x = in.x});
    return {.x = in.x, .y = shown};
  }

 private:
  Child child_;
};
