#pragma once

#include "systole/hls/int.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

inline constexpr UInt<8> kReciprocal[16] = {255, 255, 128, 85, 64, 51, 43, 37,
                                            32,  28,  26,  23, 21, 20, 18, 17};

/// A table that a constexpr function makes.
struct Cubes {
  int value[16];
};
constexpr Cubes make_cubes() {
  Cubes cubes{};
  for (int i = 0; i < 16; ++i) cubes.value[i] = i * i * i;
  return cubes;
}

/// A pipelined function with a table in it.
inline UInt<12> scaled(const UInt<4>& divisor, const UInt<4>& dividend) {
  return kReciprocal[divisor.value()] * dividend;
}

/// Constant tables that a variable indexes: of integers, host integers, bools and structs, with one
/// and two dimensions, in namespaces, structs, functions and made by a constexpr function.
struct Tables {
  struct Command {
    UInt<3> opcode;
    Int<6> step;
    bool last;
  };
  static constexpr int kSquares[9] = {0, 1, 4, 9, 16, 25, 36, 49, 64};
  static constexpr int kSlopes[8] = {0, 3, 5, 6, 6, 5, 3, -40};
  static constexpr bool kPrime[32] = {false, false, true,  true,  false, true,  false, true,
                                      false, false, false, true,  false, true,  false, false,
                                      false, true,  false, true,  false, false, false, true,
                                      false, false, false, false, false, true,  false, true};
  static constexpr Command kProgram[4] = {
      {1, -1, false}, {2, 31, false}, {7, -32, false}, {4, 5, true}};
  static constexpr UInt<37> kMatrix[3][4] = {
      {1, 2, 3, 4}, {0x1234567890, 6, 7, 8}, {9, 10, 0x1fffffffff, 12}};
  static constexpr Cubes kCubes = make_cubes();

  struct Inputs {
    UInt<4> i;
    UInt<5> j;
    UInt<2> row;
    UInt<2> column;
  };
  struct Outputs {
    UInt<8> reciprocal;
    UInt<7> square;
    Int<8> slope;
    bool prime;
    UInt<3> opcode;
    Int<6> step;
    bool last;
    UInt<37> element;
    UInt<12> cube;
    UInt<12> scaled;
  };
  Outputs clock(const Inputs& in) {
    Outputs out;
    out.reciprocal = kReciprocal[in.i.value()];
    out.square =
        in.i < 9 ? UInt<7>::from(static_cast<unsigned>(kSquares[in.i.value()])) : UInt<7>(0);
    out.slope = Int<8>::from(kSlopes[slice<2, 0>(in.i).value()]);
    out.prime = kPrime[in.j.value()];
    out.opcode = kProgram[in.row.value()].opcode;
    out.step = kProgram[in.row.value()].step;
    out.last = last_;
    out.element = element_;
    out.cube = UInt<12>::from(static_cast<unsigned>(kCubes.value[in.i.value()]));
    out.scaled = scaled_.output();
    scaled_.clock(in.i, slice<3, 0>(in.j));
    const UInt<4> steps[4] = {1, 2, 4, 8};
    walk_ = truncate<UInt<4>>(walk_ + steps[in.column.value()]);
    last_ = kProgram[in.column.value()].last != bit<0>(walk_);
    if (in.row != 3) element_ = kMatrix[in.row.value()][in.column.value()];
    return out;
  }
  void reset() {
    last_ = false;
    element_ = UInt<37>(0);
    walk_ = UInt<4>(0);
  }

 private:
  Pipeline<&scaled, 2> scaled_;
  bool last_;
  UInt<37> element_;
  UInt<4> walk_;
};

}  // namespace systole::tests
