#pragma once

#include "systole/hls/int.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

/// The operators that assign, on registers, and those with constants.
struct Operators {
  struct Inputs {
    UInt<8> x;
    Int<7> s;
    UInt<3> i;
    UInt<5> far;
    bool b;
  };
  struct Outputs {
    UInt<8> counter;
    Int<9> sum;
    UInt<12> product;
    UInt<8> bits;
    UInt<8> tenth;
    UInt<8> rest;
    Int<7> seventh;
    Int<11> mixed;
    bool less;
    bool picked;
  };
  Outputs clock(const Inputs& in) {
    Outputs out;
    out.counter = counter_;
    out.sum = sum_;
    out.product = product_;
    out.bits = in.x;
    out.bits[in.i] = in.b;
    out.bits[0] = in.x[7];
    out.bits[6] = as_bit(in.s < 0);
    out.bits ^= 0x18;
    out.tenth = in.x / 10;
    out.rest = in.x % 10;
    out.seventh = in.s / -7;
    out.mixed = in.s - in.x + 3;
    out.less = in.x < in.s || in.s == in.i;
    out.picked = in.x[in.far];
    if (in.b) ++counter_;
    if (!in.b) counter_ -= in.i;
    sum_ += in.s;
    sum_ <<= in.i[0] ? 1 : 0;
    product_ *= in.x | 1;
    product_ |= 1;
    return out;
  }
  void reset() {
    counter_ = 0;
    sum_ = -1;
    product_ = 1;
  }

 private:
  UInt<8> counter_;
  Int<9> sum_;
  UInt<12> product_;
};

inline UInt<4> first_one(const UInt<12>& x) {
  for (int i = 0; i < 12; ++i) {
    if (x[i]) return UInt<4>::from(static_cast<unsigned>(i));
  }
  return 12;
}
inline UInt<4> ones_before_gap(const UInt<12>& x) {
  UInt<4> count;
  for (int i = 0; i < 12; ++i) {
    if (!x[i]) break;
    ++count;
  }
  return count;
}
inline UInt<8> odd_bits(const UInt<8>& x) {
  UInt<8> result;
  int i = 0;
  while (i < 8) {
    ++i;
    if (i % 2 == 0) continue;
    result[i] = x[i - 1];
  }
  return result;
}
inline UInt<8> triangle(const UInt<8>& x) {
  UInt<8> result;
  for (int i = 0; i < 8; i += 2) {
    for (int j = i; j < 8; ++j) {
      for (int k = 0; k < j - i; ++k) result ^= x >> k;
    }
  }
  return result;
}
inline void add_twice(UInt<8>& sum, const UInt<8>& x) {
  sum += x;
  sum += x;
}
inline UInt<8> helped(const UInt<8>& x) {
  UInt<8> sum = 1;
  add_twice(sum, x);
  add_twice(sum, sum);
  return sum;
}
inline UInt<16> digits(const UInt<16>& x) {
  UInt<16> rest = x;
  UInt<16> result;
  for (int i = 0; i < 4; ++i) {
    result |= rest % 10 << 4 * i;
    rest /= 10;
  }
  return result;
}

/// Loops that end early, skip an iteration or depend on the loop around them.
struct Loopings {
  struct Inputs {
    UInt<12> x;
    UInt<8> y;
    UInt<16> z;
    bool turn;
  };
  struct Outputs {
    UInt<4> first;
    UInt<4> before;
    UInt<8> odd;
    UInt<8> triangle;
    UInt<8> helped;
    UInt<16> digits;
    UInt<5> corner;
    UInt<8> last;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.first = first_.output(),
                      .before = before_.output(),
                      .odd = odd_.output(),
                      .triangle = triangle_.output(),
                      .helped = helped_.output(),
                      .digits = digits_.output(),
                      .corner = matrix_[1][2],
                      .last = seen_[4]};
    for (int i = 0; i < 5; ++i) {
      if (bit<0>(seen_[i]) == in.turn) break;
      seen_[i] = in.y;
    }
    for (int i = 0; i < 5; ++i) {  // does nothing
      if (in.turn) break;
    }
    first_.clock(in.x);
    before_.clock(in.x);
    odd_.clock(in.y);
    triangle_.clock(in.y);
    helped_.clock(in.y);
    digits_.clock(in.z);
    if (in.turn) {
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < i; ++j) {
          const UInt<5> kept = matrix_[i][j];
          matrix_[i][j] = matrix_[j][i];
          matrix_[j][i] = kept;
        }
      }
    } else {
      matrix_[2][1] = slice<4, 0>(in.x);
    }
    return out;
  }
  void reset() {
    for (auto& row : matrix_) {
      for (auto& one : row) one = 0;
    }
    for (auto& one : seen_) one = 0;
  }

 private:
  Pipeline<&first_one, 1> first_;
  Pipeline<&ones_before_gap, 2> before_;
  Pipeline<&odd_bits, 1> odd_;
  Pipeline<&triangle, 3> triangle_;
  Pipeline<&helped, 1> helped_;
  Pipeline<&digits, 4> digits_;
  UInt<5> matrix_[4][4];
  UInt<8> seen_[5];
};

}  // namespace systole::tests
