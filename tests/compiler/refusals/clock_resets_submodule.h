#include "systole/hls/int.h"

using namespace systole::hls;

struct Child {
  struct Inputs {
    UInt<8> x;
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs outputs() const { return {.y = kept}; }
  void clock(const Inputs& in) { kept = in.x; }
  void reset() { kept = UInt<8>(0); }
  UInt<8> kept;
};

struct Top {
  struct Inputs {
    UInt<8> x;
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = child_.outputs().y};
    child_.clock(in.x == 3 ? Child::Inputs{.x = UInt<8>(1)} : Child::Inputs{.x = in.x});
    if (in.x == 7) child_.reset();  // refused at 27: clock() resets 'child_'
    return out;
  }

 private:
  Child child_;
};
