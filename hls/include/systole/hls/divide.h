#pragma once

#include "systole/hls/thread.h"

namespace systole::hls {

template <typename Quotient, typename Remainder>
struct Division {
  Quotient quotient;
  Remainder remainder;
};

/// Divides by a variable, in a thread: one bit of the quotient a clock.
///
///     const auto [quotient, remainder] = co_await divide(x, y);
///
/// Shapes   the quotient has x's type, the remainder y's
/// Timing   as many clocks as x has bits
/// Numbers  rounds toward zero; the remainder has the sign of x. By zero, the quotient has all bits
///          set and the remainder is the low bits of x. The least Int divided by -1 is itself
template <int kBits, int kBy>
Task<Division<UInt<kBits>, UInt<kBy>>> divide(UInt<kBits> x, UInt<kBy> y) {
  UInt<kBits> bits = x;  // the quotient enters where the dividend leaves
  UInt<kBy> rest = 0;
  for (UInt<index_bits(kBits + 1)> done; done < kBits; ++done) {
    co_await clock();
    const auto next = concat(rest, slice<kBits - 1, kBits - 1>(bits));
    const bool fits = next >= UInt<kBy + 1>(y);
    rest = fits ? truncate<UInt<kBy>>(next - y) : truncate<UInt<kBy>>(next);
    bits = bits << 1 | UInt<kBits>(as_bit(fits));
  }
  co_return Division<UInt<kBits>, UInt<kBy>>{bits, rest};
}

template <int kBits>
constexpr UInt<kBits> magnitude(const Int<kBits>& x) {
  return x < 0 ? truncate<UInt<kBits>>(-x) : as_unsigned(x);
}

template <int kBits, int kBy>
Task<Division<Int<kBits>, Int<kBy>>> divide(Int<kBits> x, Int<kBy> y) {
  const bool is_negative = x < 0;
  const bool differs = is_negative != (y < 0) && y != 0;
  const auto size = co_await divide(magnitude(x), magnitude(y));
  const auto quotient = as_signed(size.quotient);
  const auto remainder = as_signed(size.remainder);
  co_return Division<Int<kBits>, Int<kBy>>{
      differs ? truncate<Int<kBits>>(-quotient) : quotient,
      is_negative ? truncate<Int<kBy>>(-remainder) : remainder};
}

}  // namespace systole::hls
