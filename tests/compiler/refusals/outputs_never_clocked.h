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
    return {.y = truncate<UInt<8>>(child_.outputs().y + in.x)};  // refused at 43: never clocked
  }

 private:
  Child child_;
};
