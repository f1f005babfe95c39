#include "systole/hls/int.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

struct Base {
  virtual UInt<8> next(const UInt<8>& x) const { return x; }
};
struct Derived : Base {
  UInt<8> next(const UInt<8>& x) const override { return ~x; }
};

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
    const Base* unit = in.c ? &one_ : &two_;
    q_ = unit->next(in.x);  // refused at 16: virtual
    return {.y = q_};
  }

  Base one_;
  Derived two_;
  UInt<8> q_;
};
