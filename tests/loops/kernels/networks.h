#pragma once

#include "systole/hls/int.h"
#include "systole/hls/int_operators.h"
#include "systole/hls/kernel.h"
#include "systole/hls/vec.h"
#include "tests/loops/kernels/signal.h"

// Algorithms in several functions that run side by side.
namespace systole::algorithms {

using namespace systole::hls;

inline constexpr short kLowPass[8] = {3, 12, 29, 44, 44, 29, 12, 3};

/// Eight taps; the sum of the weights is 176.
inline void low_pass(const Vec<Int<8>, 256>& in, Stream<Int<8>>& out) {
  Vec<Int<8>, 8> window;
  for (int i = 0; i < 8; ++i) {
    unroll();
    window[i] = 0;
  }
  for (int i = 0; i < 256; ++i) {
    Int<17> sum = 0;
    for (int tap = 7; tap > 0; --tap) {
      unroll();
      window[tap] = window[tap - 1];
    }
    window[0] = in[i];
    for (int tap = 0; tap < 8; ++tap) {
      unroll();
      sum = truncate<Int<17>>(sum + window[tap] * Int<7>::from(kLowPass[tap]));
    }
    out.push(truncate<Int<8>>(sum >> 8));
  }
}

/// Every fourth sample.
inline void decimate(Stream<Int<8>>& in, Stream<Int<8>>& out) {
  for (int i = 0; i < 256; ++i) {
    const Int<8> sample = in.pop();
    if (i % 4 == 3) out.push(sample);
  }
}

/// How many samples have each value's upper four bits.
inline void count_levels(Stream<Int<8>>& in, Vec<UInt<7>, 16>& bins) {
  for (int i = 0; i < 16; ++i) bins[i] = 0;
  for (int i = 0; i < 64; ++i) {
    const UInt<4> level = slice<7, 4>(truncate<UInt<8>>(in.pop() + Int<9>(128)));
    bins[static_cast<int>(level.value())] += UInt<7>(1);
  }
}

/// Filter, decimate and count: three loops joined by queues.
inline void level_histogram(const Vec<Int<8>, 256>& in, Vec<UInt<7>, 16>& bins) {
  dataflow();
  LocalStream<Int<8>, 4> filtered;
  LocalStream<Int<8>, 2> fewer;
  low_pass(in, filtered);
  decimate(filtered, fewer);
  count_levels(fewer, bins);
}

/// The rows of one block of many.
inline void dct_rows(const Vec<Vec<Vec<Int<12>, 8>, 8>, 6>& coefficient, UInt<3> block,
                     Vec<Vec<Int<16>, 8>, 8>& rows) {
  for (int v = 0; v < 8; ++v) {
    for (int x = 0; x < 8; ++x) {
      Int<28> sum = 0;
      for (int u = 0; u < 8; ++u) {
        sum += coefficient[static_cast<int>(block.value())][v][u] * Int<13>::from(kDct[u][x]);
      }
      rows[v][x] = truncate<Int<16>>(sum >> 12);
    }
  }
}

/// Its columns.
inline void dct_columns(const Vec<Vec<Int<16>, 8>, 8>& rows, UInt<3> block,
                        Vec<Vec<Vec<UInt<8>, 8>, 8>, 6>& pixel) {
  for (int x = 0; x < 8; ++x) {
    for (int y = 0; y < 8; ++y) {
      Int<32> sum = 0;
      for (int v = 0; v < 8; ++v) sum += rows[v][x] * Int<13>::from(kDct[v][y]);
      const auto level = (sum >> 12) + Int<9>(128);
      pixel[static_cast<int>(block.value())][y][x] = level < 0     ? UInt<8>(0)
                                                     : level > 255 ? UInt<8>(255)
                                                                   : truncate<UInt<8>>(level);
    }
  }
}

/// The inverse cosine transform of six blocks: the columns of one beside the rows of the next,
/// through a memory of two banks.
inline void inverse_dct_blocks(const Vec<Vec<Vec<Int<12>, 8>, 8>, 6>& coefficient,
                               Vec<Vec<Vec<UInt<8>, 8>, 8>, 6>& pixel) {
  dataflow();
  for (UInt<3> block = 0; block < 6; ++block) {
    Vec<Vec<Int<16>, 8>, 8> rows;
    dct_rows(coefficient, block, rows);
    dct_columns(rows, block, pixel);
  }
}

}  // namespace systole::algorithms
