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
    child_.clock({.x = in.x});
    return out;
  }
  void reset() { child_.kept = UInt<8>(3); }  // refused at 30: reaches into a submodule's registers

 private:
  Child child_;
};
