#pragma once

#include "systole/hls/pipeline.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

inline UInt<16> lane_product(UInt8 a, UInt8 b) { return a * b; }
inline constexpr UInt8 kWeights[3] = {3, 200, 7};

/// Lanes of one pipeline that are fed from ports, a choice of ports, a local array and a table.
struct FedLanes {
  struct Pair {
    UInt8 first;
    UInt8 second;
  };
  struct Inputs {
    Vec<UInt8, 3> a;
    Pair pairs[3];
    UInt1 first;
  };
  struct Outputs {
    UInt<16> of_ports[3];
    UInt<16> of_locals[3];
  };
  Outputs clock(const Inputs& in) {
    Outputs out;
    for (int i = 0; i < 3; ++i) out.of_ports[i] = of_ports_[i].output();
    for (int i = 0; i < 3; ++i) out.of_locals[i] = of_locals_[i].output();
    for (int i = 0; i < 3; ++i) {
      of_ports_[i].clock(in.first ? in.a[i] : in.pairs[i].second, in.pairs[2 - i].first);
    }
    UInt8 sums[3] = {in.a[0], in.a[1], in.a[2]};
    sums[1] ^= in.pairs[0].first;
    for (int i = 0; i < 3; ++i) of_locals_[i].clock(sums[i], kWeights[i]);
    return out;
  }

 private:
  Pipeline<&lane_product, 2> of_ports_[3];
  Pipeline<&lane_product, 1> of_locals_[3];
};

}  // namespace systole::tests
