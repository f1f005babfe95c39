#pragma once

#include "systole/hls/int.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

struct Corners {
  UInt<5> x[2];
  bool closed;
};
struct Shape {
  Corners corners;
  Vec<UInt<3>, 4> colour;
};

/// Vecs and arrays of structs that have arrays themselves, in ports and registers.
struct NestedAggregates {
  struct Inputs {
    Vec<Shape, 3> shapes;
    Corners corners[2];
    UInt<2> place;
  };
  struct Outputs {
    Vec<Shape, 3> shapes;
    Corners corners[2];
  };
  Outputs clock(const Inputs& in) {
    Outputs out;
    for (int i = 0; i < 3; ++i) out.shapes[i] = kept_[2 - i];
    for (int i = 0; i < 2; ++i) out.corners[i] = in.corners[1 - i];
    for (int i = 0; i < 3; ++i) {
      if (in.place != UInt<2>::from(i)) continue;
      kept_[i] = in.shapes[i];
      kept_[i].corners.x[1] = in.corners[0].x[0];
    }
    return out;
  }
  void reset() {
    for (int i = 0; i < 3; ++i) kept_[i] = Shape{{{1, 2}, true}, {}};
  }

 private:
  Shape kept_[3];
};

}  // namespace systole::tests
