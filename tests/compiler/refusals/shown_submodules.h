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
// ---- clock_resets_submodule
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = child_.outputs().y};
    child_.clock(in.x == 3 ? Child::Inputs{.x = UInt<8>(1)} : Child::Inputs{.x = in.x});
    if (in.x == 7) child_.reset();  // refused at 27: clock() resets 'child_'
    return out;
  }

 private:
  Child child_;
};
// ---- outputs_after_clock
  Outputs clock(const Inputs& in) {
    child_.clock({.x = in.x});
    return {.y = child_.outputs().y};  // refused at 25: read after its clock()
  }

 private:
  Child child_;
};
// ---- outputs_never_clocked
  Outputs clock(const Inputs& in) {
    return {.y = truncate<UInt<8>>(child_.outputs().y + in.x)};  // refused at 43: never clocked
  }

 private:
  Child child_;
};
// ---- reset_reaches_into_submodule
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = child_.outputs().y};
    child_.clock({.x = in.x});
    return out;
  }
  void reset() { child_.kept = UInt<8>(3); }  // refused at 30: reaches into a submodule's registers

 private:
  Child child_;
};
// ---- reset_reads_submodule
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = truncate<UInt<8>>(child_.outputs().y + kept_)};
    child_.clock({.x = in.x});
    return out;
  }
  void reset() {
    kept_ = child_.outputs().y;  // refused at 20: reset() reads a submodule
    child_.reset();
  }
  UInt<8> kept_;

 private:
  Child child_;
};
// ---- submodule_never_reset
  Outputs outputs() const { return {.y = child_.outputs().y ^ other_.outputs().y}; }
  void clock(const Inputs& in) {
    child_.clock({.x = in.x});
    other_.clock({.x = in.x});
  }
  void reset() { child_.reset(); }

 private:
  Child child_;
  Child other_;  // refused at 9: nothing resets 'other_'
};
// ---- submodule_in_a_module_without_reset
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = child_.outputs().y};
    child_.clock({.x = in.x});
    return out;
  }

 private:
  Child child_;  // refused at 9: nothing resets 'child_'
};
// ---- lanes_never_reset
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = child_[1].outputs().y};
    for (int i = 0; i < 2; ++i) child_[i].clock({.x = in.x});
    return out;
  }
  void reset() {}

 private:
  Child child_[2];  // refused at 9: nothing resets 'child_'
};
