#include "systole/hls/int.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

constexpr UInt<8> twice(const UInt<7>& x) { return x + x; }

struct Top {
  struct Inputs {
    Vec<UInt<7>, 3> x;
    UInt<2> moves;
  };
  struct Outputs {
    UInt<1> y;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = y_};
    for (int i = 0; i < 3; ++i) {
      lane_[i].clock_where(in.moves, in.x[i]);  // refused at 16: only a lone pipeline
    }
    y_ = UInt<1>(1);
    return out;
  }

 private:
  Pipeline<&twice, 2> lane_[3];
  UInt<1> y_;
};
