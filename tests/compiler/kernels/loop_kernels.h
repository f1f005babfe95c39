#pragma once

#include "systole/hls/int.h"
#include "systole/hls/kernel.h"
#include "systole/hls/vec.h"

// Functions over arrays, each for one thing that loops do. The bench runs them on random memories.
namespace systole::tests {

using namespace systole::hls;

inline void scaled(const Vec<UInt<8>, 64>& in, Vec<UInt<16>, 64>& out, UInt<8> factor) {
  for (int i = 0; i < 64; ++i) out[i] = in[i] * factor;
}

inline void matrix_product(const Vec<Vec<Int<8>, 8>, 8>& a, const Vec<Vec<Int<8>, 8>, 8>& b,
                           Vec<Vec<Int<24>, 8>, 8>& c) {
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 8; ++column) {
      Int<24> sum = 0;
      for (int k = 0; k < 8; ++k) sum += a[row][k] * b[k][column];
      c[row][column] = sum;
    }
  }
}

/// Two equal bytes in a row make a hazard: the second count needs the first one's.
inline void histogram(const Vec<UInt<4>, 64>& in, Vec<UInt<8>, 16>& counts) {
  for (int i = 0; i < 16; ++i) counts[i] = 0;
  for (int i = 0; i < 64; ++i) {
    const UInt<4> bin = in[i];
    counts[static_cast<int>(bin.value())] += 1;
  }
}

inline void running_sum(Vec<UInt<16>, 32>& values, UInt<16>& last) {
  for (int i = 1; i < 32; ++i) values[i] += values[i - 1];
  last = values[31];
}

inline void reversed(const Vec<UInt<8>, 50>& in, Vec<UInt<8>, 50>& out) {
  Vec<UInt<8>, 50> copy;
  for (int i = 0; i < 50; ++i) copy[i] = in[i];
  for (int i = 0; i < 50; ++i) out[i] = copy[49 - i];
}

inline void greatest_divisor(const UInt<8>& a, const UInt<8>& b, UInt<8>& divisor) {
  UInt<8> x = a;
  UInt<8> y = b;
  while (x != 0 && y != 0) {
    if (x > y) {
      x -= y;
    } else {
      y -= x;
    }
  }
  divisor = x == 0 ? y : x;
}

/// Values that change places from one iteration to the next, and are used after the loop.
inline void fibonacci(const UInt<5>& count, Vec<UInt<32>, 32>& numbers, UInt<32>& last,
                      UInt<6>& steps) {
  UInt<32> a = 0;
  UInt<32> b = 1;
  int i = 0;
  for (; i < static_cast<int>(count.value()); ++i) {
    numbers[i] = a;
    const UInt<32> next = truncate<UInt<32>>(a + b);
    a = b;
    b = next;
  }
  last = a;
  steps = UInt<6>::from(static_cast<std::uint64_t>(i));
}

/// A product that takes several clocks, of values that later stages still use.
inline void polynomial(const Vec<Int<24>, 40>& x, const Vec<Int<24>, 40>& y,
                       Vec<Int<120>, 40>& out) {
  for (int i = 0; i < 40; ++i) {
    const auto xy = x[i] * y[i];
    const auto xyx = truncate<Int<72>>(xy * x[i]);
    out[i] = truncate<Int<120>>(xyx * y[i] + xy + x[i]);
  }
}

/// Loops whose lengths depend on the loop around them, one after the other in each turn.
inline void triangle(const Vec<Vec<UInt<8>, 12>, 12>& in, Vec<UInt<12>, 12>& lower,
                     Vec<UInt<12>, 12>& upper) {
  for (int row = 0; row < 12; ++row) {
    UInt<12> sum = 0;
    for (int column = 0; column < row; ++column) sum += in[row][column];
    lower[row] = sum;
    sum = 0;
    for (int column = row; column < 12; ++column) sum += in[row][column];
    upper[row] = sum;
  }
}

/// Left in the middle, with writes under conditions.
inline void find_first(const UInt<8> (&in)[32], const UInt<8>& wanted, UInt<6>& place,
                       Vec<bool, 32>& seen) {
  place = 32;
  for (int i = 0; i < 32; ++i) {
    seen[i] = true;
    if (in[i] == wanted) {
      place = UInt<6>::from(static_cast<std::uint64_t>(i));
      break;
    }
    if (in[i] < wanted && (i & 1) != 0) seen[i - 1] = false;
  }
}

/// A memory that an iteration writes two iterations before it is read.
inline void recurrence(Vec<UInt<16>, 64>& v, const UInt<16>& factor) {
  for (int i = 2; i < 64; ++i) v[i] = truncate<UInt<16>>(v[i - 2] * factor + UInt<16>(1));
}

/// Nothing between the end of the inner loop and its next start.
inline void again(Vec<UInt<16>, 16>& v) {
  for (int turn = 0; turn < 5; ++turn) {
    for (int i = 0; i < 16; ++i) v[i] = truncate<UInt<16>>(v[i] * UInt<2>(3) + UInt<1>(1));
  }
}

/// Copies of a loop that adds nothing, so that nothing is left of it.
inline void copied_in_vain(const UInt<3>& turns, UInt<5>& result) {
  UInt<5> kept = UInt<5>(9);
  for (UInt<4> turn = 0; turn < turns; ++turn) {
    unroll<4>();
    kept += UInt<5>(0);
  }
  result = truncate<UInt<5>>(kept + turns);
}

inline void unrolled_by_four(const Vec<UInt<8>, 64>& in, Vec<UInt<8>, 64>& out) {
  for (int i = 0; i < 64; ++i) {
    unroll<4>();
    out[63 - i] = in[i];
  }
}

/// A local C array, whose constructor walks a pointer, in a nest that is copied.
inline void pairs_in_copies(const Vec<UInt<4>, 16>& in, Vec<UInt<5>, 8>& out) {
  for (int copy = 0; copy < 2; ++copy) {
    unroll<2>();
    for (int i = 0; i < 4; ++i) {
      UInt<4> pair[2];
      for (int n = 0; n < 2; ++n) pair[n] = in[copy * 8 + i * 2 + n];
      out[copy * 4 + i] = pair[0] + pair[1];
    }
  }
}

/// Loops in copies whose bounds are ports, read again before each iteration.
inline void copies_to_ports(const Vec<UInt<8>, 16>& in, Vec<UInt<8>, 16>& out, const UInt<4>& end,
                            const UInt<4>& first, UInt<12>& sum) {
  UInt<12> total = 0;
  for (unsigned i = 0; i < end.value(); ++i) {
    unroll<2>();
    total += in[i];
    out[i] = in[i];
  }
  for (UInt<5> i = 0; i < end; ++i) {
    unroll<3>();
    total ^= in[i.value()];
  }
  for (UInt<4> i = first; i != end; ++i) {
    unroll<4>();
    total += in[i.value()];
  }
  sum = total;
}

/// A nest whose inner loop changes the word that was read before it.
inline void overwritten_below(Vec<UInt<16>, 12>& v, Vec<UInt<20>, 12>& sums) {
  for (int i = 0; i < 12; ++i) {
    const UInt<16> before = v[i];
    UInt<20> sum = before;
    for (int k = 0; k < 12; ++k) {
      sum = truncate<UInt<20>>(sum + before);
      v[k] = truncate<UInt<16>>(sum + UInt<4>::from(static_cast<std::uint64_t>(k)));
    }
    sums[i] = sum;
  }
}

/// What the inner loop's last iteration writes is what the outer one's next iteration reads.
inline void carried_around(Vec<UInt<12>, 8>& v, const UInt<12>& step) {
  for (int i = 1; i < 8; ++i) {
    UInt<12> value = v[i - 1];
    for (int k = 0; k < 3; ++k) value = value ^ truncate<UInt<12>>(value + step);
    v[i] = value;
  }
}

/// The same by three reads, so that a single loop would wait longer for its own writes.
inline void carried_far(Vec<UInt<12>, 8>& v, const UInt<12>& step) {
  for (int i = 1; i < 8; ++i) {
    UInt<12> value = v[i - 1];
    for (int k = 0; k < 2; ++k) {
      unroll();
      value = v[static_cast<int>(truncate<UInt<3>>(value).value())];
    }
    for (int k = 0; k < 3; ++k) value = value ^ truncate<UInt<12>>(value + step);
    v[i] = value;
  }
}

/// Inner loops whose length depends on the outer counter, each at least once, of two levels.
inline void staircase(const Vec<UInt<8>, 10>& in, Vec<UInt<14>, 10>& out, UInt<20>& all) {
  UInt<20> total = 0;
  for (int i = 0; i < 10; ++i) {
    UInt<14> sum = 0;
    for (int k = 0; k <= i; ++k) sum = truncate<UInt<14>>(sum + in[k]);
    out[i] = sum;
    total = truncate<UInt<20>>(total + sum);
  }
  all = total;
}

/// A transposition in place: pairs meet in no two iterations, which no formula says.
inline void transposed(Vec<Vec<UInt<9>, 6>, 6>& m) {
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < 6; ++k) {
      const UInt<9> upper = m[i][k];
      const UInt<9> lower = m[k][i];
      if (k > i) {
        m[i][k] = lower;
        m[k][i] = upper;
      }
    }
  }
}

/// Only one loop of the two may not be.
inline void kept_apart(const Vec<UInt<8>, 16>& in, Vec<UInt<12>, 4>& out) {
  for (int i = 0; i < 4; ++i) {
    sequential();
    UInt<12> sum = 0;
    for (int k = 0; k < 4; ++k) sum = truncate<UInt<12>>(sum + in[4 * i + k]);
    out[i] = sum;
  }
}

/// Sums at places that data picks: a word that the iteration before writes comes beside the memory.
inline void weighted(const Vec<UInt<2>, 48>& bin, const Vec<UInt<8>, 48>& weight,
                     Vec<UInt<16>, 4>& sums, Vec<UInt<16>, 48>& before) {
  for (int i = 0; i < 48; ++i) {
    pipeline<1>();
    const int at = static_cast<int>(bin[i].value());
    const UInt<16> old = sums[at];
    if (weight[i] != 3) sums[at] += weight[i];
    before[i] = old;
  }
}

/// The same where the place that is read and the one that is written are two.
inline void chased(const Vec<UInt<3>, 40>& from, const Vec<UInt<3>, 40>& to, Vec<UInt<8>, 8>& v) {
  for (int i = 0; i < 40; ++i) {
    v[static_cast<int>(to[i].value())] =
        truncate<UInt<8>>(v[static_cast<int>(from[i].value())] + UInt<8>(1));
  }
}

/// Nobody reads the zeros that `line` begins with; those of `kept` are read four times.
inline void delayed(const Vec<UInt<8>, 32>& in, Vec<UInt<8>, 32>& by_eight,
                    Vec<UInt<8>, 32>& by_four) {
  Vec<UInt<8>, 8> line;
  Vec<UInt<8>, 4> kept;
  for (int i = 0; i < 32; ++i) {
    by_eight[i] = i < 8 ? UInt<8>(7) : line[i & 7];
    by_four[i] = kept[i & 3];
    line[i & 7] = in[i];
    kept[i & 3] = in[i];
  }
}

/// A sum that starts over in each row, and one that goes on; rows of seven, so that an address is
/// no row beside a column.
inline void rows_and_all(const Vec<Vec<Int<8>, 7>, 5>& a, const Vec<Vec<Int<8>, 7>, 5>& b,
                         Vec<Int<20>, 5>& rows, Vec<Int<20>, 5>& so_far, Int<20>& all) {
  Int<20> total = 5;
  for (int row = 0; row < 5; ++row) {
    Int<20> sum = 3;
    for (int column = 0; column < 7; ++column) {
      sum += a[row][column] * b[row][column];
      total += a[row][column] * Int<8>(3);
    }
    rows[row] = sum;
    so_far[row] = total;
  }
  all = total;
}

inline UInt<8> picked_of_wide(const UInt<7>& x, const UInt<2>& at) {
  Vec<UInt<192>, 4> wide;
  for (int i = 0; i < 4; ++i)
    wide[i] = UInt<192>(x) << UInt<6>::from(static_cast<unsigned>(40 + i));
  return slice<49, 42>(wide[static_cast<int>(at.value())]);
}

/// A local array of a function that is called twice, of values that C++ keeps as bytes.
inline void wide_in_helper(const Vec<UInt<7>, 4>& x, const UInt<2>& at, Vec<UInt<8>, 5>& out) {
  for (int i = 0; i < 4; ++i) out[i] = picked_of_wide(x[i], at);
  out[4] = picked_of_wide(x[2], UInt<2>(1));
}

/// Guards that are known, of indices that would be out of range; one is known after others.
inline void known_guards(const Vec<UInt<2>, 4>& in, UInt<2>& result) {
  UInt<2> kept = 2;
  Vec<Int<2>, 2> few;
  if (kept[0] == 0) {
    if (kept < UInt<2>(2) && few[static_cast<int>(kept.value())] != 0) kept = 1;
    for (int i = 0; i < 2; ++i) few[i] = as_signed(in[i]);
    if (kept < UInt<2>(2) && few[static_cast<int>(kept.value())] != 0) kept = 3;
  }
  result = kept ^ as_unsigned(few[0]);
}

}  // namespace systole::tests
