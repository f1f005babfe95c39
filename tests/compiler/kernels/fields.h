#pragma once

#include "systole/hls/int.h"

namespace systole::tests {

using namespace systole::hls;

/// Words whose bits have variables.
class Fields {
 public:
  struct Inputs {
    UInt<16> word;
    UInt<8> other;
  };
  struct Outputs {
    UInt<4> first;
    UInt<4> second;
    UInt<8> sum;
  };

  Outputs clock(const Inputs& in) {
    const UInt<4> kind = slice<7, 4>(in.word);
    const UInt<4> height = slice<11, 8>(in.word);
    const UInt<4> depth = slice<11, 8>(in.word);
    const UInt<4> once = slice<3, 0>(in.word);
    const Outputs out = {first_, second_, sum_};
    first_ = kind == 3 ? kind : once;
    second_ = kind == 5 ? height : UInt<4>(1);
    sum_ = truncate<UInt<8>>(in.other + depth);
    return out;
  }
  void reset() {
    first_ = UInt<4>(0);
    second_ = UInt<4>(0);
    sum_ = UInt<8>(0);
  }

 private:
  UInt<4> first_;
  UInt<4> second_;
  UInt<8> sum_;
};

}  // namespace systole::tests
