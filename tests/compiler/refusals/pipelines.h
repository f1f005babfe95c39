#include "systole/hls/int.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

constexpr UInt<8> twist(const UInt<8>& x) { return x ^ (x >> UInt<2>(3)); }

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
// ---- pipeline_in_if
  Outputs clock(const Inputs& in) {
    const UInt<8> y = pipe_.output();
    if (in.c) pipe_.clock(in.x);  // refused at 21: once
    return {.y = y};
  }

  Pipeline<&twist, 2> pipe_;
};
// ---- pipeline_loop_writes
  Outputs clock(const Inputs& in) {
    for (int n = 0; n < 4; ++n) {
      pipe_[n].clock(a_[n]);  // refused at 16: writes no registers
      a_[n] = b_[n];
    }
    for (int n = 0; n < 4; ++n) b_[n] = a_[3];
    b_[0] = in.x;
    return {.y = in.x};
  }

  Pipeline<&twist, 2> pipe_[4];
  UInt<8> a_[4];
  UInt<8> b_[4];
};
// ---- pipeline_never
  Outputs clock(const Inputs& in) { return {.y = pipe_.output() ^ in.x}; }

  Pipeline<&twist, 2> pipe_;  // refused at 23: never clocked
};
// ---- pipeline_output_after_clock
  Outputs clock(const Inputs& in) {
    pipe_.clock(in.x);
    return {.y = pipe_.output()};  // refused at 24: after
  }

  Pipeline<&twist, 2> pipe_;
};
// ---- pipeline_some_lanes
  Outputs clock(const Inputs& in) {
    for (int n = 0; n < 3; ++n) pipe_[n].clock(a_[n]);  // refused at 42: lanes of 'pipe_'
    a_[0] = in.x;
    return {.y = in.x};
  }

  Pipeline<&twist, 2> pipe_[4];
  UInt<8> a_[4];
};
// ---- pipeline_twice
  Outputs clock(const Inputs& in) {
    const UInt<8> y = pipe_.output();
    pipe_.clock(in.x);
    pipe_.clock(y);  // refused at 11: once
    return {.y = y};
  }

  Pipeline<&twist, 2> pipe_;
};
