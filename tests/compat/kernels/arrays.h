#pragma once

#include <array>

#include "ac_int.h"
#include "ap_int.h"
#include "systole/hls/kernel.h"

/// Functions over arrays whose elements are classes: numbers of both families, in arrays, streams,
/// scalars and between functions. Their ports have the parameters' names and nothing of a class's.
namespace arrays {

using systole::hls::LocalStream;
using systole::hls::Stream;
using systole::hls::Vec;

inline void sum_of_bytes(const Vec<ap_uint<8>, 4>& a, const ap_int<6>& offset, ap_int<12>& sum) {
  ap_int<12> total = offset;
  for (int i = 0; i < 4; ++i) total += a[i];
  sum = total;
}

inline void scaled_rows(const Vec<Vec<ac_int<7, true>, 3>, 5>& in, ac_int<4, false> factor,
                        std::array<ac_int<11, true>, 15>& out_) {
  std::array<ac_int<11, true>, 3> row;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 3; ++j) row[j] = in[i][j] * factor;
    for (int j = 0; j < 3; ++j) out_[3 * i + j] = row[2 - j];
  }
}

/// A loop of Vitis HLS: pop() and push() are its read() and write().
inline void scale(Stream<ap_uint<8>>& in, Stream<ap_uint<16>>& out, const ap_uint<8>& factor) {
  for (int i = 0; i < 16; ++i) out.push(in.pop() * factor);
}

inline void turn(const Vec<ap_uint<8>, 8>& a, Vec<ap_uint<8>, 8>& b) {
  for (int i = 0; i < 8; ++i) b[7 - i] = a[i];
}
inline void turned_twice(const Vec<ap_uint<8>, 8>& a, Vec<ap_uint<8>, 8>& b) {
  systole::hls::dataflow();
  Vec<ap_uint<8>, 8> t;
  turn(a, t);
  turn(t, b);
}

using Words = std::array<ac_int<9, true>, 6>;
inline void differences(const Words& in, Stream<ap_int<10>>& steps) {
  ap_int<10> last = 0;
  for (int i = 0; i < 6; ++i) {
    const ap_int<10> now = in[i].to_int();
    steps.push(now - last);
    last = now;
  }
}
inline void sums(Stream<ap_int<10>>& steps, Words& out) {
  ap_int<10> last = 0;
  for (int i = 0; i < 6; ++i) {
    last += steps.pop();
    out[i] = last.to_int();
  }
}
inline void copy(const Words& in, Words& out) {
  for (int i = 0; i < 6; ++i) out[i] = in[i];
}
inline void there_and_back(const Words& in, Words& out) {
  systole::hls::dataflow();
  LocalStream<ap_int<10>, 4> steps;
  Words words;
  differences(in, steps);
  sums(steps, words);
  copy(words, out);
}

}  // namespace arrays
