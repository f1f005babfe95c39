#include "systole/hls/int.h"

using namespace systole::hls;

struct Base { virtual ~Base() = default; };
struct Derived : Base {};

struct Top {
  struct Inputs {
    UInt<8> x;
    UInt<1> c;
    UInt<3> i;
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs clock(const Inputs& in) {
    Base* b = this_;
    return {.y = dynamic_cast<Derived*>(b) ? in.x : UInt<8>(0)};  // refused at 18: hardware has no types at run time
  }

  Base* this_;
};
