#pragma once

#include <algorithm>

#include "systole/hls/int.h"

namespace systole::tests {

using namespace systole::hls;

/// What kernel_campaign found in wires, each in its smallest form.
struct FoundInWires {
  struct Inputs {
    UInt<3> low;
    UInt<31> wide;
  };
  struct Outputs {
    Int<12> signs;
    UInt<3> least;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.signs = signs_, .least = least_};
    // Each sign extension prints its operand's sign beside its operand.
    for (int i = 0; i < 12; ++i) {
      signs_ = as_signed(slice<12, 1>(truncate<UInt<14>>(signs_)) | UInt<12>(in.low));
    }
    // A minimum with bits that are always zero.
    shifted_ = in.wide << UInt<5>(20);
    least_ = std::min(slice<5, 3>(shifted_), in.low);
    return out;
  }
  void reset() {
    signs_ = -1;
    shifted_ = 0;
    least_ = 0;
  }

 private:
  Int<12> signs_;
  UInt<31> shifted_;
  UInt<3> least_;
};

}  // namespace systole::tests
