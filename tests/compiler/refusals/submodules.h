#include "systole/hls/int.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

struct Child {
  struct Inputs {
    UInt<8> x;
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = kept};
    kept = in.x;
    return out;
  }
  UInt<8> kept;
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
// ---- clock_in_reset
  Outputs clock(const Inputs& in) {
    const auto out = child_.clock({.x = in.x});
    return {.y = out.y};
  }
  void reset() { child_.clock({.x = UInt<8>(0)}); }  // refused at 25: reset

  Child child_;
};
// ---- reach_into_submodule
  Outputs clock(const Inputs& in) {
    const auto out = child_.clock({.x = in.x});
    q_ = child_.kept;  // refused at 8: reaches into a submodule
    return {.y = out.y};
  }

  Child child_;
  UInt<8> q_;
};
// ---- submodule_in_if
  Outputs clock(const Inputs& in) {
    Outputs out;
    if (in.c) out.y = child_.clock({.x = in.x}).y;  // refused at 30: outside of loops and conditions
    return out;
  }

  Child child_;
};
// ---- submodule_in_loop
  Outputs clock(const Inputs& in) {
    Outputs out;
    for (int n = 0; n < 2; ++n) out.y = child_.clock({.x = in.x}).y;  // refused at 48: once per clock
    return out;
  }

  Child child_;
};
// ---- submodule_never
  Outputs clock(const Inputs& in) { return {.y = in.x}; }

  Child child_;  // refused at 9: never clocked
};
// ---- submodule_twice
  Outputs clock(const Inputs& in) {
    const auto one = child_.clock({.x = in.x});
    const auto two = child_.clock({.x = one.y});  // refused at 29: once per clock
    return {.y = two.y};
  }

  Child child_;
};
