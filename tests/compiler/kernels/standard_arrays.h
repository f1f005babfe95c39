#pragma once

#include <array>
#include <utility>

#include "systole/hls/int.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

struct Sample {
  std::array<Int<7>, 2> value;
  UInt<3> kind;
};

/// std::array and std::pair as ports, registers and members, one in the other.
struct StandardArrays {
  struct Inputs {
    UInt<8> x;
    UInt<1> step;
    std::array<Sample, 2> samples;
    std::array<std::array<UInt<5>, 3>, 2> grid;
    std::pair<UInt<4>, Int<6>> both;
  };
  struct Outputs {
    std::array<UInt<8>, 3> past;
    UInt<10> sum;
    std::array<Int<7>, 2> swapped;
    Vec<std::array<UInt<5>, 2>, 3> turned;
    std::pair<Int<6>, UInt<4>> exchanged;
  };
  Outputs clock(const Inputs& in) {
    Outputs out;
    out.past = past_;
    UInt<10> sum = 0;
    for (int i = 0; i < 3; ++i) sum += past_[i];
    out.sum = sum;
    for (int i = 0; i < 2; ++i) {
      out.swapped[i] =
          in.samples[1 - i].kind == 3 ? in.samples[i].value[1] : in.samples[i].value[0];
      for (int j = 0; j < 3; ++j) out.turned[j][i] = in.grid[i][j];
    }
    out.exchanged = {in.both.second, in.both.first};
    if (in.step) {
      for (int i = 2; i > 0; --i) past_[i] = past_[i - 1];
      past_.front() = in.x;
    }
    return out;
  }
  void reset() { past_.fill(UInt<8>(0)); }
  std::array<UInt<8>, 3> past_;
};

}  // namespace systole::tests
