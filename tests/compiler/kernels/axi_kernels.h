#pragma once

#include "systole/hls/axi_array.h"
#include "systole/hls/int.h"
#include "systole/hls/kernel.h"
#include "systole/hls/vec.h"

// Functions over arrays in memory on AXI4, each for one thing that they do.
namespace systole::tests {

using namespace systole::hls;

/// Bursts both ways: `count` elements, at any length from 0 on.
inline void axi_added(const AxiArray<Int<32>, 1023>& a, const AxiArray<Int<32>, 1023>& b,
                      AxiArray<Int<32>, 1023>& sums, UInt<10> count) {
  for (int i = 0; i < static_cast<int>(count.value()); ++i) {
    sums[i] = truncate<Int<32>>(a[i] + b[i]);
  }
}

/// Copies in, works on arrays of its own, copies out; bytes in beats of 16.
inline void axi_reversed(const AxiArray<UInt<8>, 77, 16>& in, AxiArray<UInt<8>, 77, 16>& out) {
  Vec<UInt<8>, 77> copy;
  for (int i = 0; i < 77; ++i) copy[i] = in[i];
  for (int i = 0; i < 77; ++i) out[i] = copy[76 - i];
}

/// In place, an element of a whole beat, from the middle on.
inline void axi_scaled(AxiArray<UInt<64>, 200, 8>& values, UInt<7> first, UInt<8> factor) {
  const int start = static_cast<int>(first.value());
  for (int i = 0; i < 70; ++i) {
    values[start + i] = truncate<UInt<64>>(values[start + i] * factor);
  }
}

/// An element of the iteration before, in memory: one by one.
inline void axi_running_sum(AxiArray<UInt<16>, 40>& values) {
  for (int i = 1; i < 40; ++i) values[i] = truncate<UInt<16>>(values[i] + values[i - 1]);
}

/// Anywhere, under a condition, and again what was written just before.
inline void axi_scattered(AxiArray<UInt<8>, 64, 4>& table, const Vec<UInt<6>, 30>& at,
                          UInt<16>& checksum) {
  UInt<16> sum = 0;
  for (int i = 0; i < 30; ++i) {
    const int place = static_cast<int>(at[i].value());
    if (at[i][0]) table[place] = truncate<UInt<8>>(table[place] + UInt<8>(3));
    sum = truncate<UInt<16>>(sum * UInt<4>(5) + table[place]);
  }
  checksum = sum;
}

/// Rows of a matrix, each a burst of its own.
inline void axi_rows(const AxiArray<Int<16>, 12 * 13, 8>& matrix, const Vec<Int<16>, 13>& vector,
                     AxiArray<Int<32>, 12, 8>& product) {
  for (int row = 0; row < 12; ++row) {
    Int<32> sum = 0;
    for (int column = 0; column < 13; ++column) sum += matrix[row * 13 + column] * vector[column];
    product[row] = sum;
  }
}

/// A stream to memory.
inline void axi_stored(Stream<UInt<16>>& in, AxiArray<UInt<16>, 300, 16>& out, UInt<8> count) {
  for (int i = 0; i < static_cast<int>(count.value()); ++i) out[i] = in.pop();
}

/// Arguments and a result of all widths, for registers.
inline void axi_dot(const AxiArray<Int<16>, 100>& a, const AxiArray<Int<16>, 100>& b, UInt<7> count,
                    Int<44> bias, bool negated, Int<44>& dot, UInt<32>& checksum) {
  Int<44> sum = bias;
  UInt<32> all = 0;
  for (int i = 0; i < static_cast<int>(count.value()); ++i) {
    const Int<16> left = a[i];
    const Int<32> product = left * b[i];
    sum += negated ? Int<33>(-product) : Int<33>(product);
    all = truncate<UInt<32>>(all * UInt<4>(5) + as_unsigned(left));
  }
  dot = sum;
  checksum = all;
}

}  // namespace systole::tests
