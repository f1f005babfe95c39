#pragma once

#include <utility>

#include "systole/hls/int.h"
#include "systole/hls/vec.h"

// Small functions of structs, Vecs, arrays, bools and enums, each proved equal to its RTL.
namespace systole::tests {

using namespace systole::hls;

struct Triple {
  Vec<UInt<17>, 3> lane;
};
struct Complex {
  Int<5> re;
  Int<5> im;
};
struct Product {
  Int<11> re;
  Int<11> im;
};
struct Least {
  UInt<6> value;
  UInt<2> place;
};
struct Pixel {
  UInt<6> red;
  UInt<6> green;
  UInt<6> blue;
};
enum class Opcode : std::uint8_t { kAdd, kLoad = 2, kStore, kHalt = 7 };
struct Instruction {
  Opcode opcode;
  UInt<3> target;
  UInt<3> sources[2];
  bool legal;
};
struct SmallFloat {
  bool negative;
  UInt<3> exponent;
  UInt<4> mantissa;
};
enum class Order : std::int8_t { kLess = -1, kEqual, kGreater };
using Matrix = Vec<Vec<UInt<3>, 2>, 2>;

/// One of two structs, by a condition that has branches of its own.
inline Triple either(const Triple& a, const Triple& b, bool x, bool y, bool z) {
  return ((!x && y) != z) ? b : a;
}
/// An element of one of two structs, both chosen by variables.
inline UInt<17> element_of_either(const Triple& a, const Triple& b, bool second, UInt<1> place) {
  const Triple& chosen = second && place == 0 ? b : a;
  return chosen.lane[static_cast<int>(place.value())];
}
inline Product product(const Complex& a, const Complex& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
inline Vec<UInt<4>, 4> sorted(Vec<UInt<4>, 4> lanes) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3 - i; ++j) {
      if (lanes[j + 1] < lanes[j]) std::swap(lanes[j], lanes[j + 1]);
    }
  }
  return lanes;
}
inline Int<10> dot(const Vec<Int<4>, 3>& a, const Int<4> (&b)[3]) {
  Int<10> sum = 0;
  for (int i = 0; i < 3; ++i) sum += a[i] * b[i];
  return sum;
}
inline Least least(const Vec<UInt<6>, 4>& lanes) {
  Least found{lanes[0], 0};
  for (int i = 1; i < 4; ++i) {
    if (lanes[i] < found.value) found = {lanes[i], UInt<2>::from(static_cast<unsigned>(i))};
  }
  return found;
}
inline UInt<6> mixed(UInt<6> front, UInt<6> back, UInt<2> opacity) {
  return slice<7, 2>(front * opacity + back * (UInt<3>(4) - opacity));
}
inline Pixel blended(const Pixel& front, const Pixel& back, UInt<2> opacity) {
  return {mixed(front.red, back.red, opacity), mixed(front.green, back.green, opacity),
          mixed(front.blue, back.blue, opacity)};
}
inline Instruction decode(UInt<16> word) {
  const UInt<3> opcode = slice<15, 13>(word);
  Instruction result{Opcode::kHalt,
                     slice<12, 10>(word),
                     {slice<9, 7>(word), slice<6, 4>(word)},
                     slice<3, 0>(word) == 0};
  if (opcode == 0) result.opcode = Opcode::kAdd;
  if (opcode == 2) result.opcode = Opcode::kLoad;
  if (opcode == 3) result.opcode = Opcode::kStore;
  if (opcode == 1 || opcode > 3) result.legal = false;
  return result;
}
inline Vec<UInt<4>, 4> rotated(const Vec<UInt<4>, 4>& lanes, UInt<2> by) {
  Vec<UInt<4>, 4> result;
  for (int i = 0; i < 4; ++i) {
    const UInt<2> from = truncate<UInt<2>>(by + UInt<2>::from(static_cast<unsigned>(i)));
    result[i] = lanes[static_cast<int>(from.value())];
  }
  return result;
}
inline Order compared(const SmallFloat& a, const SmallFloat& b) {
  const auto number = [](const SmallFloat& x) {
    const UInt<7> size = concat(x.exponent, x.mantissa);
    return x.negative ? Int<8>(-size) : Int<8>(size);
  };
  if (number(a) < number(b)) return Order::kLess;
  return number(a) == number(b) ? Order::kEqual : Order::kGreater;
}
inline Vec<UInt<5>, 4> with_element(Vec<UInt<5>, 4> lanes, UInt<2> place, UInt<5> value,
                                    bool enable) {
  if (enable) lanes[static_cast<int>(place.value())] = value;
  return lanes;
}
inline Matrix transposed_sum(const Matrix& a, const Matrix& b) {
  Matrix result;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) result[i][j] = truncate<UInt<3>>(a[j][i] + b[i][j]);
  }
  return result;
}
/// The rows of a matrix the other way round; its elements are set row by row first.
inline Matrix swapped_rows(const Matrix& m, UInt<3> c) {
  const Matrix filled{Vec<UInt<3>, 2>{m[0][0], c}, Vec<UInt<3>, 2>{m[1][0], m[1][1]}};
  return {filled[1], filled[0]};
}

}  // namespace systole::tests
