#pragma once

#include "hls/kernels/accumulate.h"
#include "hls/kernels/fp32_arithmetic.h"
#include "hls/kernels/mac.h"
#include "systole/cosim/random.h"
#include "systole/hls/int.h"
#include "systole/hls/int_operators.h"
#include "systole/hls/kernel.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/vec.h"

// Functions over arrays whose operations take several clocks.
namespace systole::tests {

using namespace systole::hls;

/// A division in each iteration, one iteration a clock: a pipeline.
inline void ratios(const Vec<UInt<12>, 40>& in, const UInt<7>& by, Vec<UInt<12>, 40>& quotient,
                   Vec<UInt<7>, 40>& remainder) {
  for (int i = 0; i < 40; ++i) {
    quotient[i] = in[i] / by;
    remainder[i] = in[i] % by;
  }
}

inline void prepare_ratios(cosim::Random&, Vec<UInt<12>, 40>&, UInt<7>& by, Vec<UInt<12>, 40>&,
                           Vec<UInt<7>, 40>&) {
  if (by == 0) by = 1;
}

/// Signed ones, both ways around, and one by a constant; the second is of another width.
inline void signed_ratios(const Vec<Int<9>, 17>& a, const Vec<Int<5>, 17>& b,
                          Vec<Int<10>, 17>& quotient, Vec<Int<5>, 17>& remainder,
                          Vec<Int<7>, 17>& other) {
  for (int i = 0; i < 17; ++i) {
    sequential();
    const Int<5> by = b[i] == 0 ? Int<5>(-3) : b[i];
    quotient[i] = a[i] / by;
    remainder[i] = a[i] % by;
    const Int<9> size = a[i] == 0 ? Int<9>(7) : a[i];
    other[i] = truncate<Int<7>>(by / size + size % 5 + Int<3>::from(static_cast<int>(i) % 3));
  }
}

/// Divisions in states: the loop's end waits for each.
inline void greatest_common_divisor(const UInt<10>& a, const UInt<10>& b, UInt<10>& divisor) {
  UInt<10> x = a;
  UInt<10> y = b;
  while (y != 0) {
    const UInt<10> rest = x % y;
    x = y;
    y = rest;
  }
  divisor = x;
}

/// Of host integers, under a condition, with the quotient and the remainder of one division.
inline void digits(const Vec<UInt<10>, 12>& in, const UInt<4>& base, Vec<UInt<4>, 12>& last,
                   Vec<UInt<10>, 12>& rest) {
  for (int i = 0; i < 12; ++i) {
    const int value = static_cast<int>(in[i].value());
    if (value >= 10) {
      const int by = base < 2 ? 10 : static_cast<int>(base.value());
      last[i] = UInt<4>::from(static_cast<std::uint64_t>(value % by));
      rest[i] = UInt<10>::from(static_cast<std::uint64_t>(value / by + i % 7));
    }
  }
}

/// Only a quotient, which waits for a later clock in a register with room for the remainder.
inline void late_quotients(const Vec<UInt<9>, 10>& a, const Vec<UInt<6>, 10>& b,
                           Vec<UInt<9>, 10>& out) {
  for (int i = 0; i < 10; ++i) {
    const UInt<9> quotient = a[i] / (b[i] == 0 ? UInt<6>(7) : b[i]);
    const UInt<20> later = Pipeline<&kernels::fp32_add, 4>::call(Fp32(), Fp32()).is_zero()
                               ? UInt<20>(quotient)
                               : UInt<20>(0);
    out[i] = truncate<UInt<9>>(later);
  }
}

/// A bf16 product and fp32 sum of our own kernels: a sum is due again after 8 others.
inline void products_in_turn(const Vec<UInt<16>, 24>& x, const Vec<Vec<UInt<16>, 8>, 24>& w,
                             Vec<UInt<32>, 8>& sums) {
  UInt<32> sum[8] = {};
  for (int i = 0; i < 24; ++i) {
    for (int k = 0; k < 8; ++k) {
      unroll();
      sum[k] = Pipeline<&kernels::mac, 5>::call(UInt1(0), x[i], w[i][k], sum[k]);
    }
  }
  for (int k = 0; k < 8; ++k) {
    unroll();
    sums[k] = sum[k];
  }
}

/// One sum over a unit of four clocks: an iteration every four.
inline void one_sum(const Vec<UInt<32>, 20>& x, UInt<32>& sum) {
  UInt<32> total = 0;
  for (int i = 0; i < 20; ++i) {
    total = Pipeline<&kernels::accumulate, 4>::call(UInt1(0), UInt1(1), total, x[i]);
  }
  sum = total;
}

}  // namespace systole::tests
