#include "systole/hls/int.h"

using namespace systole::hls;

struct Top {
  static constexpr UInt<8> kTable[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  struct Inputs {
    UInt<4> i;
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs clock(const Inputs& in) {
    return {.y = kTable[in.i.value()]};  // refused at 18: this index may fall outside of 'kTable', which has 10 elements
  }
};
