#pragma once

#include "hls/kernels/link.h"

namespace systole::kernels {

/// A tensor that comes from a neighbour or goes to one, as words of N elements of 32 bits.
struct LinkStream {
  UInt16 rows;           ///< of the tensor
  UInt16 cols;           ///< elements in a row, which begins a word
  UInt1 is_down;         ///< the neighbour is the one below
  CommandIndex command;  ///< its number, for a fault's report
};

/// A word's lanes side by side, lane 0 lowest.
template <int kN>
UInt<32 * kN> bits_of(const Vec<UInt32, kN>& word) {
  UInt<32 * kN> bits(0);
#pragma unroll
  for (int n = 0; n < kN; ++n) {
    bits = bits | (UInt<32 * kN>(word[n]) << UInt<12>::from(static_cast<unsigned>(32 * n)));
  }
  return bits;
}
template <int kN>
Vec<UInt32, kN> word_of(const UInt<32 * kN>& bits) {
  Vec<UInt32, kN> word;
#pragma unroll
  for (int n = 0; n < kN; ++n) {
    word[n] = truncate<UInt32>(bits >> UInt<12>::from(static_cast<unsigned>(32 * n)));
  }
  return word;
}

/// What is still to come of a tensor. Registers without a clock of their own.
template <int kN>
struct WordsLeft {
  UInt16 cols;           ///< elements in a row
  UInt16 elements_left;  ///< of the row, with the next word's
  UInt16 rows_left;      ///< with the next word's

  UInt1 ends_row() const { return as_bit(elements_left <= UInt16(kN)); }
  UInt1 is_last() const { return ends_row() & as_bit(rows_left == 1); }

  void start(const LinkStream& stream) {
    cols = stream.cols;
    elements_left = stream.cols;
    rows_left = stream.rows;
  }
  void move() {
    if (ends_row()) {
      elements_left = cols;
      rows_left = truncate<UInt16>(rows_left - UInt1(1));
    } else {
      elements_left = truncate<UInt16>(elements_left - UInt16(kN));
    }
  }
};

/// How long a neighbour has kept a stream waiting. Registers without a clock of their own.
struct LinkPatience {
  UInt32 waited;  ///< clocks without a break
  UInt1 waits;    ///< in the clock before

  /// Whether this clock is one too many.
  UInt1 move(const UInt1& waits_now, const UInt32& most) {
    const UInt1 ends = waits_now & as_bit(waited == most);
    waited = waits_now & ~ends ? truncate<UInt32>(waited + UInt1(1)) : UInt32(0);
    waits = waits_now;
    return ends;
  }
  void reset() {
    waited = UInt32(0);
    waits = UInt1(0);
  }
};

}  // namespace systole::kernels
