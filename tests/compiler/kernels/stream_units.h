#pragma once

#include "hls/kernels/accumulate.h"
#include "systole/hls/axi_array.h"
#include "systole/hls/int.h"
#include "systole/hls/int_operators.h"
#include "systole/hls/kernel.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/vec.h"

// Streams and memory on AXI4 beside operations of several clocks, which hold while one stalls, and
// in nests that may become one loop.
namespace systole::tests {

using namespace systole::hls;

/// A pipeline of divisions between streams, and one that the table's words go through, too.
inline void divided_stream(Stream<UInt<9>>& in, Stream<UInt<5>>& by, const Vec<UInt<9>, 40>& table,
                           Stream<UInt<10>>& out) {
  for (int i = 0; i < 40; ++i) {
    const UInt<5> divisor = by.pop();
    const UInt<5> used = divisor == 0 ? UInt<5>(3) : divisor;
    out.push(in.pop() / used + table[i] / used);
  }
}

/// One divider of a bit a clock, which works while the next pop waits.
inline void divided_in_turn(Stream<UInt<8>>& in, const UInt<3>& by, Stream<UInt<9>>& out) {
  const UInt<3> used = by == 0 ? UInt<3>(5) : by;
  for (int i = 0; i < 9; ++i) {
    sequential();
    const UInt<8> first = in.pop() / used;
    const UInt<8> second = in.pop() / used;
    out.push(first + second);
  }
}

/// A sum that goes from a unit's output into its next call, or waits there for the next element.
inline void summed_stream(Stream<UInt<32>>& in, UInt<32>& sum) {
  UInt<32> total = 0;
  for (int i = 0; i < 23; ++i) {
    total = Pipeline<&kernels::accumulate, 4>::call(UInt1(0), UInt1(1), total, in.pop());
  }
  sum = total;
}

/// A nest that becomes one loop: the streams are the inner loop's, the memories the outer one's.
inline void scaled_rows(Stream<Int<8>>& in, Vec<Int<12>, 6>& gains, Stream<Int<20>>& out,
                        Vec<Int<12>, 6>& sums) {
  for (int row = 0; row < 6; ++row) {
    const Int<12> gain = gains[row];
    Int<12> sum = 0;
    for (int column = 0; column < 7; ++column) {
      const Int<8> value = in.pop();
      out.push(value * gain);
      sum += value;
    }
    sums[row] = sum;
    gains[row] = truncate<Int<12>>(gain + sum);
  }
}

/// A nest that stays one: the outer loop pops and pushes.
inline void framed(Stream<UInt<6>>& in, Stream<UInt<16>>& out) {
  for (int frame = 0; frame < 8; ++frame) {
    const UInt<6> factor = in.pop();
    UInt<16> sum = 0;
    for (int i = 0; i < 5; ++i) sum += in.pop() * factor;
    out.push(sum);
  }
}

/// Bursts into a pipeline of divisions, and rows' sums one by one.
inline void axi_ratios(const AxiArray<UInt<16>, 7 * 9, 8>& in, const UInt<6>& by,
                       AxiArray<UInt<32>, 7, 8>& sums) {
  const UInt<6> used = by == 0 ? UInt<6>(9) : by;
  for (int row = 0; row < 7; ++row) {
    UInt<32> sum = 0;
    for (int column = 0; column < 9; ++column) {
      const UInt<16> value = in[row * 9 + column];
      sum += value / used + value % used;
    }
    sums[row] = sum;
  }
}

/// Elements one by one in a nest that may become one loop.
inline void axi_transposed(const AxiArray<UInt<8>, 5 * 6>& in, Vec<UInt<8>, 5 * 6>& out,
                           AxiArray<UInt<8>, 5 * 6>& copy) {
  for (int row = 0; row < 6; ++row) {
    for (int column = 0; column < 5; ++column) {
      const UInt<8> value = in[column * 6 + row];
      out[row * 5 + column] = value;
      copy[column * 6 + row] = truncate<UInt<8>>(value + UInt<8>(1));
    }
  }
}

}  // namespace systole::tests
