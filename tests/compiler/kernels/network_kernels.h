#pragma once

#include "systole/hls/int.h"
#include "systole/hls/int_operators.h"
#include "systole/hls/kernel.h"
#include "systole/hls/vec.h"

// dataflow() functions: each channel, argument and order of starting once.
namespace systole::tests {

using namespace systole::hls;

// ---- One function that pushes and one that pops ----

inline void differences(const Vec<Int<8>, 50>& in, Stream<Int<9>>& out) {
  Int<8> last = 0;
  for (int i = 0; i < 50; ++i) {
    const Int<8> now = in[i];
    out.push(now - last);
    last = now;
  }
}
inline void largest(Stream<Int<9>>& in, Int<9>& result) {
  Int<9> most = Int<9>::from(-256);
  for (int i = 0; i < 50; ++i) {
    const Int<9> one = in.pop();
    if (one > most) most = one;
  }
  result = most;
}
inline void largest_difference(const Vec<Int<8>, 50>& samples, Int<9>& result) {
  dataflow();
  LocalStream<Int<9>, 3> between;
  differences(samples, between);
  largest(between, result);
}

// ---- An array, in one run: the reader starts when the writer has ended ----

inline void doubled(const Vec<UInt<7>, 21>& in, Vec<UInt<8>, 21>& out) {
  for (int i = 0; i < 21; ++i) out[i] = truncate<UInt<8>>(in[i] + in[i]);
}
inline void turned(const Vec<UInt<8>, 21>& in, Vec<UInt<8>, 21>& out) {
  for (int i = 0; i < 21; ++i) out[i] = in[20 - i];
}
inline void doubled_and_turned(const Vec<UInt<7>, 21>& in, Vec<UInt<8>, 21>& out) {
  dataflow();
  Vec<UInt<8>, 21> middle;
  doubled(in, middle);
  turned(middle, out);
}

// ---- Arrays of two banks, between three functions of different lengths, in 7 runs ----

inline void weighted(const Vec<Vec<UInt<8>, 9>, 7>& in, UInt<3> row, UInt<4> weight,
                     Vec<UInt<12>, 9>& out) {
  for (int i = 0; i < 9; ++i) {
    out[i] = truncate<UInt<12>>(in[static_cast<int>(row.value())][i] * weight);
  }
}
inline void summed(const Vec<UInt<12>, 9>& in, Vec<UInt<16>, 9>& out) {
  UInt<16> sum = 0;
  for (int i = 0; i < 9; ++i) {
    sequential();
    sum += in[i];
    out[i] = sum;
  }
}
inline void stored(const Vec<UInt<16>, 9>& in, UInt<7> at, Vec<UInt<16>, 63>& out) {
  for (int i = 0; i < 9; ++i) out[static_cast<int>(at.value()) + i] = in[i];
}
inline void sums_of_rows(const Vec<Vec<UInt<8>, 9>, 7>& in, UInt<4> weight,
                         Vec<UInt<16>, 63>& out) {
  dataflow();
  for (UInt<3> row = 0; row < 7; ++row) {
    Vec<UInt<12>, 9> weights;
    Vec<UInt<16>, 9> sums;
    weighted(in, row, weight, weights);
    summed(weights, sums);
    stored(sums, truncate<UInt<7>>(row * UInt<4>(9)), out);
  }
}

// ---- The same function twice, and constants; streams of the whole at both ends ----

inline void scaled_by(Stream<Int<10>>& in, UInt<3> factor, Stream<Int<10>>& out) {
  for (int i = 0; i < 40; ++i) out.push(truncate<Int<10>>(in.pop() * factor));
}
inline void scaled_twice(Stream<Int<10>>& in, Stream<Int<10>>& out) {
  dataflow();
  LocalStream<Int<10>, 1> once;
  scaled_by(in, 3, once);
  scaled_by(once, 5, out);
}

// ---- Two ways that join: the short one must hold what the long one has not yet given ----

inline void split(const Vec<UInt<8>, 48>& in, Stream<UInt<8>>& plain, Stream<UInt<8>>& other) {
  for (int i = 0; i < 48; ++i) {
    plain.push(in[i]);
    other.push(in[i]);
  }
}
inline void delayed(Stream<UInt<8>>& in, Stream<UInt<16>>& out) {
  for (int block = 0; block < 6; ++block) {
    Vec<UInt<8>, 8> kept;
    for (int i = 0; i < 8; ++i) kept[i] = in.pop();
    for (int i = 0; i < 8; ++i) out.push(kept[i] * kept[7 - i]);
  }
}
inline void added(Stream<UInt<8>>& plain, Stream<UInt<16>>& other, Vec<UInt<17>, 48>& out) {
  for (int i = 0; i < 48; ++i) out[i] = plain.pop() + other.pop();
}
inline void two_ways(const Vec<UInt<8>, 48>& in, Vec<UInt<17>, 48>& out) {
  dataflow();
  LocalStream<UInt<8>, 16> plain;
  LocalStream<UInt<8>, 2> before;
  LocalStream<UInt<16>, 2> after;
  split(in, plain, before);
  delayed(before, after);
  added(plain, after, out);
}

// ---- Lengths that depend on data: no clocks are promised ----

inline void countdowns(const Vec<UInt<4>, 12>& in, Stream<UInt<4>>& out) {
  for (int i = 0; i < 12; ++i) {
    for (UInt<4> left = in[i]; left > 0; --left) out.push(left);
    out.push(0);
  }
}
inline void counted(Stream<UInt<4>>& in, Vec<UInt<5>, 12>& out) {
  for (int i = 0; i < 12; ++i) {
    UInt<5> count = 0;
    while (in.pop() > 0) ++count;
    out[i] = count;
  }
}
inline void counted_down(const Vec<UInt<4>, 12>& in, Vec<UInt<5>, 12>& out) {
  dataflow();
  LocalStream<UInt<4>, 2> values;
  countdowns(in, values);
  counted(values, out);
}

inline void both_ways(const Vec<UInt<4>, 12>& in, Stream<UInt<4>>& plain, Stream<UInt<4>>& other) {
  for (int i = 0; i < 12; ++i) {
    plain.push(in[i]);
    other.push(in[i]);
  }
}
inline void ones_of(Stream<UInt<4>>& in, Stream<UInt<5>>& out) {
  for (int i = 0; i < 12; ++i) {
    UInt<5> count = 0;
    for (UInt<4> left = in.pop(); left != 0; left >>= 1) count += left & 1;
    out.push(count);
  }
}
inline void met(Stream<UInt<4>>& plain, Stream<UInt<5>>& late, Vec<UInt<6>, 12>& out) {
  for (int i = 0; i < 12; ++i) out[i] = plain.pop() + late.pop();
}
inline void late_and_plain(const Vec<UInt<4>, 12>& in, Vec<UInt<6>, 12>& out) {
  dataflow();
  LocalStream<UInt<4>, 4> plain;
  LocalStream<UInt<4>, 12> other;
  LocalStream<UInt<5>, 12> late;
  both_ways(in, plain, other);
  ones_of(other, late);
  met(plain, late, out);
}

}  // namespace systole::tests
