#include "systole/hls/int.h"

using namespace systole::hls;

struct Child {  // refused at 8: nobody reads the outputs()
  struct Inputs {
    UInt<8> x;
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs outputs() const { return {.y = kept_}; }
  void clock(const Inputs& in) { kept_ = in.x; }

 private:
  UInt<8> kept_;
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
    return {.y = in.x};
  }

 private:
  Child child_;
};
