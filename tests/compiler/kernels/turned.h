#pragma once

#include "systole/hls/int.h"

namespace systole::tests {

using namespace systole::hls;

/// Tests that LLVM would turn round, and values without a variable of their own.
class Turned {
 public:
  struct Inputs {
    UInt1 valid;
    UInt1 stop;
    UInt<8> opcode;
    UInt<8> size;
    UInt<3> missing;
  };
  struct Outputs {
    UInt1 starts;
    UInt1 blocked;
    UInt<8> left;
  };

  Outputs clock(const Inputs& in) {
    const bool is_store = in.valid && in.opcode == 50;
    const bool starts = is_store && !busy_ && in.missing == 0 && !in.stop;
    const bool is_blocked = is_store && !busy_ && in.missing != 0 && !in.stop;
    const Outputs out = {starts_, blocked_, left_};
    starts_ = as_bit(starts);
    blocked_ = as_bit(is_blocked);
    if (in.opcode == 3 || in.size < left_) {
      left_ = in.size;
      busy_ = as_bit(in.opcode == 3);
    }
    if (starts) left_ = UInt<8>(255);
    return out;
  }
  void reset() {
    busy_ = UInt1(0);
    starts_ = UInt1(0);
    blocked_ = UInt1(0);
    left_ = UInt<8>(0);
  }

 private:
  UInt1 busy_;
  UInt1 starts_;
  UInt1 blocked_;
  UInt<8> left_;
};

}  // namespace systole::tests
