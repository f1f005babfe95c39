#include "systole/hls/int.h"

using namespace systole::hls;

enum class Mode { kIdle, kRun, kDrain };

struct Top {
  struct Inputs {
    UInt<4> x;
  };
  struct Outputs {
    Mode mode;
  };
  Outputs clock(const Inputs& in) {
    return {.mode = static_cast<Mode>(in.x.value())};  // refused at 21: 'mode' gets a value that the 2 bits of Mode may not hold; cast it from a UInt<2>
  }
};
