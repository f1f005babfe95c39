#include "systole/hls/int.h"

using namespace systole::hls;


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
    return {.y = UInt<8>::from(reinterpret_cast<std::uint64_t>(this))};  // refused at 32: an address has no meaning in hardware
  }
};
