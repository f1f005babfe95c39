#pragma once

#include <cassert>

#include "systole/hls/int.h"
#ifdef SYSTOLE_HLSC  // the engines, which hlsc compiles beside the function
#include "systole/hls/axi_reader.h"
#include "systole/hls/axi_writer.h"
#endif

namespace systole::hls {

/// An array in memory on AXI4, as the argument of a function over arrays. The module has an AXI
/// port for it, NAME_arvalid_o and so on, and an input NAME_address_i, the address of element 0.
///
///     void sums(const AxiArray<Int<32>, 4096>& a, AxiArray<Int<32>, 4096>& b) {
///       for (int i = 0; i < 4096; ++i) b[i] = truncate<Int<32>>(a[i] + 1);
///     }
///
/// Shapes   T is an integer of 8, 16, 32 or 64 bits, in memory without padding, low byte first; a
///          beat has kBusBytes bytes
/// Limits   0 <= index < kSize; an address is a multiple of T's bytes, and the array lies below
///          2^40
/// Timing   an innermost loop that goes from element to the next in every iteration is bursts, at
///          one element a clock; any other access waits for memory
/// Errors   natively, an index out of range ends a debug build; an answer of memory that is an
///          error sets the module's error_o
template <typename T, int kSize, int kBusBytes = 8>
struct AxiArray {
  static_assert(kSize >= 1, "an AxiArray has at least one element");
  static_assert(T::kWidth == 8 || T::kWidth == 16 || T::kWidth == 32 || T::kWidth == 64,
                "an element in memory has 8, 16, 32 or 64 bits");
  static_assert(kBusBytes * 8 >= T::kWidth && kBusBytes <= 128 &&
                    (kBusBytes & (kBusBytes - 1)) == 0,
                "a beat has a power of two of bytes up to 128, and holds an element");

  T element[kSize];

  T& operator[](int index) {
    check(index);
    return element[index];
  }
  const T& operator[](int index) const {
    check(index);
    return element[index];
  }

 private:
  static void check([[maybe_unused]] int index) {
#ifndef SYSTOLE_HLSC
    assert(index >= 0 && index < kSize);
#endif
  }
};

}  // namespace systole::hls
