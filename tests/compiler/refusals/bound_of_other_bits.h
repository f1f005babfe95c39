#include "systole/hls/int.h"

using namespace systole::hls;

struct Top {
  struct Inputs {
    UInt<6> index;
  };
  struct Outputs {
    UInt<4> found;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.found = found_};
    // The bound is of the index's low bits.
    if (truncate<UInt<3>>(in.index) < UInt<3>(3)) {
      found_ = items_[in.index.value()];  // refused at 14: this index may fall outside of 'items_'
    }
    for (int i = 0; i < 3; ++i) items_[i] = slice<3, 0>(in.index);
    return out;
  }
  void reset() {
    for (int i = 0; i < 3; ++i) items_[i] = UInt<4>(0);
    found_ = UInt<4>(0);
  }

 private:
  UInt<4> items_[3];
  UInt<4> found_;
};
