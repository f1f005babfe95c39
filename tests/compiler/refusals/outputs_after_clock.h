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
    child_.clock({.x = in.x});
    return {.y = child_.outputs().y};  // refused at 25: read after its clock()
  }

 private:
  Child child_;
};
